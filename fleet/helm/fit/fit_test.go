package fit

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/provider"
)

// TestDropShip takes ships out of the fleet, or plans them again: a ship that had a machine is on the bill, and its next machine is another.
func TestDropShip(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testDropShip) // whose clock stands still
}

func testDropShip(t *testing.T) {
	past := &fleet.Past{Task: "1"}
	was := fleet.Ship{
		Name: "ship-1", Number: 1, Role: fleet.Worker, Agent: "claude", Model: "opus", Provider: "hosts", Built: 2, Phase: fleet.Going, Again: true,
		Created: time.Now().Add(-time.Hour), HostKey: "ssh-ed25519 A", Home: "/home/a", Setup: fleet.Setup{Error: "it stays"}, Past: past,
	}
	for name, c := range map[string]struct {
		change func(*fleet.Ship)
		forget bool
		billed bool
	}{
		"removed":              {func(*fleet.Ship) {}, true, true},
		"replaced":             {func(*fleet.Ship) {}, false, true},
		"never made":           {func(s *fleet.Ship) { s.HostKey = "" }, true, false},
		"perhaps made":         {func(s *fleet.Ship) { s.HostKey, s.Stays = "", "no answer" }, true, true},
		"never made, replaced": {func(s *fleet.Ship) { s.HostKey = "" }, false, false},
	} {
		s := was
		c.change(&s)
		all := fleet.Fleet{Ships: []*fleet.Ship{{Name: "ship-0"}, &s, {Name: "ship-2"}}}
		dropShip(&all, &fleet.Voyage{}, "ship-1", c.forget)
		if billed := all.Gone["hosts"] >= time.Hour; billed != c.billed {
			t.Errorf("%s: the bill has %v", name, all.Gone)
		}
		if is := all.ShipNamed("ship-1"); c.forget {
			if is != nil || len(all.Ships) != 2 {
				t.Errorf("%s: %+v is left of %d", name, is, len(all.Ships))
			}
		} else if want := (fleet.Ship{
			Name: "ship-1", Number: 1, Role: fleet.Worker, Agent: "claude", Model: "opus", Provider: "hosts", Built: 3, Phase: fleet.Planned, Created: time.Now(), Past: past,
		}); !reflect.DeepEqual(*is, want) {
			t.Errorf("%s: it is %+v", name, is)
		}
	}
}

// TestDestroyed keeps with a ship how attempts to destroy its machine end.
func TestDestroyed(t *testing.T) {
	t.Parallel()
	failed := errors.New("no answer")
	for name, c := range map[string]struct {
		phase fleet.ShipPhase
		stays string
		err   error
		want  func(s fleet.Ship, billed bool) bool
	}{
		"it goes and stays": {fleet.Going, "", failed, func(s fleet.Ship, billed bool) bool {
			return s.Error == "text" && !s.StaysAt.IsZero() && !s.Denied && !billed
		}},
		"it goes and is gone":   {fleet.Going, "", nil, func(s fleet.Ship, billed bool) bool { return s.StaysAt.IsZero() && !billed }},
		"no login":              {fleet.Going, "", provider.ErrLogin, func(s fleet.Ship, billed bool) bool { return s.Denied && !billed }},
		"it failed and stays":   {fleet.Failed, "old", failed, func(s fleet.Ship, billed bool) bool { return s.Stays == "text" && s.Error == "" && !billed }},
		"it failed and is gone": {fleet.Failed, "old", nil, func(s fleet.Ship, billed bool) bool { return s.Stays == "" && s.StaysAt.IsZero() && billed }},
		"it has a new machine":  {fleet.Planned, "", failed, func(s fleet.Ship, _ bool) bool { return reflect.DeepEqual(s, fleet.Ship{Phase: fleet.Planned}) }},
		"it is afloat meanwhile": {fleet.Afloat, "", nil, func(s fleet.Ship, billed bool) bool {
			return reflect.DeepEqual(s, fleet.Ship{Phase: fleet.Afloat}) && !billed
		}},
	} {
		var all fleet.Fleet
		s := fleet.Ship{Phase: c.phase, Remains: fleet.Remains{Stays: c.stays}}
		if destroyed(&all, &s, "text", c.err); !c.want(s, len(all.Gone) > 0) {
			t.Errorf("%s: %+v, the bill has %v", name, s, all.Gone)
		}
	}
}

// TestParseMix settles where ships come from.
func TestParseMix(t *testing.T) {
	t.Parallel()
	f := &Fit{o: Options{Access: &access.Access{Providers: map[string]provider.Provider{"local": nil, "hosts": nil}}}}
	for _, c := range []struct {
		from string
		n    int
		want string // an error
	}{
		{"local", 3, ""},
		{"local=2,hosts=1", 3, ""},
		{"local=2,hosts=1", 1, "come from local and hosts: say from which with --provider"},
		{"local", 0, "ask for 1 to 1000"},
		{"local", maxShips + 1, "ask for 1 to 1000"},
		{"moon", 1, "moon"},
	} {
		mix, err := f.parseMix(c.from, c.n)
		switch {
		case c.want == "" && (err != nil || mix.ShipCount() != c.n):
			t.Errorf("%+v: %v, %v", c, mix, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: %v", c, err)
		}
	}
}
