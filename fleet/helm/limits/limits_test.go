package limits

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/journal"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func half() float64 { return 0.5 }

// crew is ships of one login that can be told something, and what they reported last.
type crew struct {
	t      *testing.T
	limits Limits
	ships  map[string]*Seen
	notes  []string
	kept   int // times that a limit was written down
}

func newCrew(t *testing.T, names ...string) *crew {
	c := &crew{t: t, ships: map[string]*Seen{}}
	for _, name := range names {
		c.ships[name] = &Seen{Ship: &Ship{Name: name, Login: "claude", Longest: week}, Reached: true, Listens: true}
	}
	return c
}

func (c *crew) take(all ...Effects) (told []string) {
	for _, e := range all {
		if e.Hold != nil {
			c.kept++
		}
		if e.Text != "" {
			c.notes = append(c.notes, e.Ship+" "+e.Text)
		}
		if e.Tell {
			told = append(told, e.Ship)
		}
	}
	return told
}

func (c *crew) report(name string, at time.Time, st proto.AgentState) {
	s := c.ships[name]
	c.take(c.limits.Report(s.Ship, st, at, false, 0.5))
	if st.State != s.State.State {
		s.StateAt = at
	}
	s.State = st
}

// look returns the ships that are told to go on.
func (c *crew) look(at time.Time, v Voyage) []string {
	var seen []Seen
	for _, s := range c.ships {
		seen = append(seen, *s)
	}
	return c.take(c.limits.Look(at, seen, v, half)...)
}

func limited(trouble string) proto.AgentState {
	return proto.AgentState{State: proto.StateLimited, Why: "it is limited", Trouble: trouble}
}

// TestStumbles: a turn that fails for reasons of its own is tried again three times, and then left to the captain; an error that needs a
// person is not tried at all.
func TestStumbles(t *testing.T) {
	c := newCrew(t, "ship-0", "ship-1")
	c.report("ship-1", noon, limited("api"))
	c.report("ship-1", noon, proto.AgentState{State: proto.StateWaiting, Why: "billing", Trouble: "person"})
	at, told := noon, 0
	for range 5 {
		c.report("ship-0", at, proto.AgentState{State: proto.StateFailed, Why: "400 odd", Trouble: "turn"})
		if names := c.look(at.Add(time.Second), Voyage{Restored: true}); len(names) > 0 {
			t.Errorf("%q are told at once", names)
		}
		at = at.Add(time.Hour)
		if names := c.look(at, Voyage{Restored: true, Closed: true}); len(names) > 0 {
			t.Errorf("%q are told while nothing is begun", names)
		}
		for _, name := range c.look(at, Voyage{Restored: true}) {
			if told++; name != "ship-0" {
				t.Errorf("%s is told", name)
			}
		}
	}
	if told != MaxStumbles || len(c.limits) != 0 || len(c.notes) != 2 {
		t.Errorf("told %d times; the limits are %+v, the notes %q", told, c.limits, c.notes)
	}
	c.ships["ship-0"].Stumbles = 0 // the captain has written to it
	if names := c.look(at.Add(time.Hour), Voyage{Restored: true}); len(names) != 1 {
		t.Errorf("after that %q are told", names)
	}
}

// TestDeaf: a ship that hears nothing gets the message less and less often, whether it should try or follow, is seldom written down, and
// does not keep others back without end.
func TestDeaf(t *testing.T) {
	for name, follows := range map[string]bool{"tries": false, "follows": true} {
		c := newCrew(t, "ship-0", "ship-1", "ship-2")
		c.report("ship-1", noon, proto.AgentState{State: proto.StateIdle})
		c.report("ship-0", noon, limited("usage"))
		if follows {
			c.report("ship-2", noon, limited("usage"))
			c.report("ship-2", noon, proto.AgentState{State: proto.StateWorking, Tool: "Bash"})
		}
		deaf, times := c.ships["ship-0"], 0
		for at := noon; at.Before(noon.Add(time.Hour)); at = at.Add(5 * time.Second) {
			for range c.look(at, Voyage{Restored: true}) {
				times++
				c.take(c.limits.Told(deaf.Ship, false, at, deaf.State, 0.5))
			}
		}
		if times < 5 || times > 15 || c.kept > 40 {
			t.Errorf("%s: told %d times in an hour, and written down %d times", name, times, c.kept)
		}
		if c.limits.HoldsBack(noon.Add(time.Hour), c.ships["ship-1"].Ship) {
			t.Errorf("%s: another is held back by %+v", name, c.limits["claude"])
		}
		c.take(c.limits.Told(deaf.Ship, true, noon, deaf.State, 0.5))
		if deaf.Untold != 0 {
			t.Errorf("%s: it has heard, and counts as deaf", name)
		}
	}
}

// TestLook: limits whose ships are gone are over, but not while helm does not know of all ships what they told before.
func TestLook(t *testing.T) {
	c := newCrew(t, "ship-0", "ship-1")
	c.report("ship-0", noon, limited("usage"))
	if names := c.look(noon.Add(time.Second), Voyage{Restored: true}); len(names) > 0 || len(c.limits) != 1 {
		t.Errorf("%q are told at once", names)
	}
	hence := noon.Add(time.Hour)
	if names := c.look(hence, Voyage{Restored: true, Paused: true}); len(names) > 0 {
		t.Errorf("%q are told while the voyage is paused", names)
	}
	ship := c.ships["ship-0"]
	if at, _, by := c.limits.Standing(ship.Ship); at.IsZero() || by != "" || !c.limits.RefusedSince(ship.Ship, hence).IsZero() {
		t.Errorf("it is to try at %s, and %q before it", at, by)
	}
	delete(c.ships, "ship-0")
	if c.look(hence, Voyage{}); len(c.limits) != 1 {
		t.Error("it is over while its ship may not be known yet")
	}
	if all := c.limits.Look(hence, []Seen{*c.ships["ship-1"]}, Voyage{Restored: true}, half); len(all) != 1 || !all[0].News || !all[0].Hold.Over || len(c.limits) != 0 {
		t.Errorf("%+v, and %+v is left", all, c.limits)
	}
}

// TestRestored: what a ship told before helm began holds it back by the limit that the journal tells of, and by a new limit where the journal
// tells of none.
func TestRestored(t *testing.T) {
	c := newCrew(t, "ship-0")
	ship := c.ships["ship-0"]
	ship.State = limited("usage")
	if e := c.limits.Report(ship.Ship, ship.State, noon, true, 0.5); e.Hold != nil || len(c.limits) != 0 || !ship.HeldBack {
		t.Errorf("%+v, %+v", e, c.limits)
	}
	if c.look(noon, Voyage{}); len(c.limits) != 1 || !ship.HeldBack {
		t.Errorf("it is held back by %+v", c.limits)
	}
}

func TestRecords(t *testing.T) {
	c := newCrew(t, "ship-0", "ship-1")
	c.report("ship-0", noon, limited("usage"))
	c.report("ship-1", noon, limited("usage"))
	var again Limits
	add := func(r facts.Record) {
		raw, err := json.Marshal(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		again.Add(journal.Record{Kind: r.Kind, Data: raw})
	}
	for _, r := range c.limits.Records() {
		add(r)
	}
	if !reflect.DeepEqual(again, c.limits) {
		t.Errorf("%+v\nwant %+v", again["claude"], c.limits["claude"])
	}
	if add(facts.Record{Kind: facts.KindHold, Data: Hold{Login: "claude", Over: true}}); len(again) != 0 {
		t.Errorf("left is %+v", again)
	}
}
