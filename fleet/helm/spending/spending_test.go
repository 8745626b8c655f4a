package spending

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/hindrance"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/notes/notestest"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/summed"
	"ocaptain/fleet/wake"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// costs is what ships have cost within the last hour, the machine of each being its first.
func costs(usd map[string]float64) facts.Usage {
	u := facts.Usage{Ships: map[string]*facts.Used{}}
	for ship, usd := range usd {
		u.Ships[ship] = &facts.Used{Built: 1, Now: fleet.Usage{CostUSD: usd}, Lately: []facts.Spent{{At: noon.Add(-time.Minute), USD: usd}}, Rests: noon}
	}
	return u
}

// TestPaused: what makes ships begin nothing, and when their agents are interrupted for it.
func TestPaused(t *testing.T) {
	at, ten := noon.Add(-time.Minute), 10.0
	pause := func(ship string, p fleet.Pause) facts.Pauses { return facts.Pauses{ship: &p} }
	for name, c := range map[string]struct {
		is            State
		guards        fleet.Guards
		voyage, ship0 string // part of why they begin nothing, "" where they may
		stops         bool   // the agent of ship-0 is interrupted
	}{
		"nothing":               {},
		"the voyage":            {State{Pauses: pause("", fleet.Pause{})}, fleet.Guards{}, "by you", "by you", false},
		"a ship":                {State{Pauses: pause("ship-0", fleet.Pause{})}, fleet.Guards{}, "", "by you", false},
		"another ship":          {State{Pauses: pause("ship-1", fleet.Pause{Now: at})}, fleet.Guards{}, "", "", false},
		"now":                   {State{Pauses: pause("", fleet.Pause{Now: at})}, fleet.Guards{}, "by you", "by you", true},
		"until later":           {State{Pauses: pause("", fleet.Pause{Now: at, Until: noon.Add(1)})}, fleet.Guards{}, "by you", "by you", true},
		"until now":             {State{Pauses: pause("", fleet.Pause{Now: at, Until: noon})}, fleet.Guards{}, "", "", false},
		"a budget is left":      {State{Usage: costs(map[string]float64{"ship-1": 9})}, fleet.Guards{MaxCost: 10, StopAtMaxCost: true}, "", "", false},
		"no budget is left":     {State{Usage: costs(map[string]float64{"ship-1": 10}), Full: at}, fleet.Guards{MaxCost: 10}, "$10.00 of $10.00", "$10.00 of $10.00", false},
		"none, and they stop":   {State{Usage: costs(map[string]float64{"ship-1": 10}), Full: at}, fleet.Guards{MaxCost: 10, StopAtMaxCost: true}, "spent", "spent", true},
		"the captain's budget":  {State{Usage: costs(map[string]float64{"ship-1": 9}), MaxCost: &ten}, fleet.Guards{MaxCost: 5}, "", "", false},
		"too much in an hour":   {State{Usage: costs(map[string]float64{"ship-0": 3})}, fleet.Guards{MaxRate: 3}, "", "within an hour", false},
		"a little less":         {State{Usage: costs(map[string]float64{"ship-0": 2.9})}, fleet.Guards{MaxRate: 3}, "", "", false},
		"another is too dear":   {State{Usage: costs(map[string]float64{"ship-1": 3})}, fleet.Guards{MaxRate: 3}, "", "", false},
		"any number is allowed": {State{Usage: costs(map[string]float64{"ship-0": 1e6})}, fleet.Guards{}, "", "", false},
	} {
		if why := c.is.paused(&c.guards, noon); !strings.Contains(why, c.voyage) || (why == "") != (c.voyage == "") {
			t.Errorf("%s: the voyage is %q", name, why)
		}
		if why := c.is.pausedShip(&c.guards, "ship-0", noon); !strings.Contains(why, c.ship0) || (why == "") != (c.ship0 == "") {
			t.Errorf("%s: ship-0 is %q", name, why)
		}
		if since := c.is.stopsSince(&c.guards, "ship-0", noon); since.IsZero() == c.stops || c.stops && !since.Equal(at) {
			t.Errorf("%s: the agent is interrupted since %s", name, since)
		}
	}
}

// TestAllowance: what ships may cost while helm is away is what is left of the budget, in equal parts, on top of what they are known to
// have cost on their machine.
func TestAllowance(t *testing.T) {
	for name, c := range map[string]struct {
		guards fleet.Guards
		usd    map[string]float64
		built  int
		want   proto.Allowance
	}{
		"no budget":       {fleet.Guards{}, map[string]float64{"ship-0": 3}, 1, proto.Allowance{}},
		"$7 are left":     {fleet.Guards{MaxCost: 10, StopAtMaxCost: true}, map[string]float64{"ship-0": 3}, 1, proto.Allowance{Bounded: true, USD: 6.5, Stop: true}},
		"nothing is left": {fleet.Guards{MaxCost: 10}, map[string]float64{"ship-0": 3, "ship-1": 8}, 1, proto.Allowance{Bounded: true, USD: 3}},
		"a new machine":   {fleet.Guards{MaxCost: 10}, map[string]float64{"ship-0": 3}, 2, proto.Allowance{Bounded: true, USD: 3.5}},
		"a new ship":      {fleet.Guards{MaxCost: 10}, map[string]float64{"ship-1": 3}, 1, proto.Allowance{Bounded: true, USD: 3.5}},
	} {
		is := State{Usage: costs(c.usd)}
		if got := is.allowance(&c.guards, "ship-0", c.built, 2); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// voyage is a voyage with these guards, and what the captain is told.
func voyage(t *testing.T, g fleet.Guards) (s *Spending, told func() []string) {
	t.Helper()
	v := notestest.New(t)
	o := Options{Dir: v.Dir, Guards: &g, Files: &kept.Files{}, Book: v.Book, Log: slog.New(slog.DiscardHandler), News: &wake.News{}, Paint: wake.New(), Notes: v.Notes}
	o.Hinders = hindrance.New(hindrance.Options{Dir: v.Dir, Journal: v.Journal, Log: o.Log, News: o.News, Paint: o.Paint, Notes: v.Notes})
	return New(o, State{}), v.Told
}

// exported is what an agent's telemetry tells of its cost, and reported what its transcript does.
func exported(usd float64) func(*facts.Used) { return func(u *facts.Used) { u.AddExported(usd) } }

func reported(usd float64) func(*facts.Used) {
	return func(u *facts.Used) { u.AddReport(1, "j", proto.Usage{CostUSD: usd}) }
}

// TestBudget: a budget is told when it is spent, once, and what the captain sets lets ships go on.
func TestBudget(t *testing.T) {
	s, told := voyage(t, fleet.Guards{MaxCost: 10})
	now := time.Now()
	news := s.Costs.Next()
	s.Spend("ship-0", 1, now, reported(3))
	s.Spend("ship-0", 1, now, exported(8))
	<-news
	if b := s.Budget(); b.Spent != 8 || b.Since.IsZero() || s.Paused(now) != "" {
		t.Errorf("$3 by a transcript and $8 by telemetry are %+v", b)
	}
	s.Spend("ship-0", 1, now, exported(10))
	s.Spend("ship-0", 1, now, exported(11))
	if len(told()) != 1 || !strings.HasSuffix(told()[0], "to go on: ocaptain budget USD --voyage kite") || s.Paused(now) == "" {
		t.Errorf("the captain is told %q", told())
	}
	for _, bad := range []float64{-1, 1e9} {
		if _, _, err := s.SetBudget(bad); !errors.Is(err, api.ErrRefused) {
			t.Errorf("a budget of %g: %v", bad, err)
		}
	}
	if b, goOn, err := s.SetBudget(20); err != nil || !goOn || b.Max != 20 || !b.Full.IsZero() || s.Paused(now) != "" {
		t.Errorf("ships go on %v, with %+v, %v", goOn, b, err)
	}
	if _, goOn, err := s.SetBudget(30); err != nil || goOn {
		t.Errorf("ships go on that were not paused: %v", err)
	}
	var again State
	if _, err := journal.Read(s.o.Dir.Events(), 0, func(r journal.Record) error { again.Add(r); return nil }); err != nil || *again.MaxCost != 30 {
		t.Errorf("the journal tells of %+v, %v", again, err)
	}
}

// TestUnpause: the captain ends what max_rate began, and what was spent until then does not count any more, also for the next helm.
func TestUnpause(t *testing.T) {
	s, told := voyage(t, fleet.Guards{MaxRate: 3})
	now := time.Now()
	s.Spend("ship-0", 1, now, exported(2))
	if _, err := s.Unpause([]string{"ship-0"}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("it is resumed while it is not paused: %v", err)
	}
	if s.Spend("ship-0", 1, now, exported(3)); s.PausedShip("ship-0", now) == "" || len(told()) != 1 {
		t.Errorf("$3 within an hour do not hold it back, and the captain is told %q", told())
	}
	if notes, err := s.Unpause([]string{"ship-0"}); err != nil || len(notes) != 1 || !strings.Contains(notes[0].Text, "$3.00 more") || s.PausedShip("ship-0", now) != "" {
		t.Errorf("it is resumed: %+v, %v", notes, err)
	}
	var again facts.Usage
	if err := summed.Read(s.o.Dir.UsageFile(), &again.Ships); err != nil || again.Ships["ship-0"].HourCost(now) != 0 {
		t.Errorf("the next helm knows %+v, %v", again.Ships["ship-0"], err)
	}
	if s.Spend("ship-0", 1, now, exported(6)); s.PausedShip("ship-0", now) == "" {
		t.Error("it is not paused again")
	}
	if err := s.Pause(api.PauseRequest{Ships: []string{"ship-0"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Unpause([]string{"ship-0"}); err != nil || s.PausedShip("ship-0", now) != "" {
		t.Errorf("what pauses it does not end at once: %v", err)
	}
}

// TestEndPauses: pauses and too high costs of an hour end by themselves, and who waits looks again.
func TestEndPauses(t *testing.T) {
	s, _ := voyage(t, fleet.Guards{MaxRate: 3})
	now := time.Now()
	until := now.Add(time.Minute)
	if err := s.Pause(api.PauseRequest{Until: until}); err != nil {
		t.Fatal(err)
	}
	s.Spend("ship-0", 1, now, exported(3))
	if over := s.EndPauses(until.Add(-1)); len(over) != 0 {
		t.Errorf("over too early are %q", over)
	}
	if over := s.EndPauses(until); !slices.Equal(over, []string{""}) || s.Paused(now) != "" || s.PausedShip("ship-0", until) == "" {
		t.Errorf("over are %q", over)
	}
	news := s.o.News.Next()
	if s.EndPauses(now.Add(time.Hour)); s.PausedShip("ship-0", now.Add(time.Hour)) != "" {
		t.Error("an hour later the ship is paused")
	}
	<-news
}

// TestTurns: the count of turns begins at 0 with each claim, and a claim is ended once.
func TestTurns(t *testing.T) {
	s, _ := voyage(t, fleet.Guards{})
	turn := func(n int) {
		s.Spend("ship-0", 1, time.Now(), func(u *facts.Used) { u.AddReport(1, "j", proto.Usage{Turn: n}) })
	}
	turn(3)
	if claim, _ := s.EndTurns("ship-0", 2); claim != "" {
		t.Errorf("%s is ended without a claim", claim)
	}
	s.BeginTurns("ship-0", 1, "1.1")
	turn(4)
	s.BeginTurns("ship-0", 1, "1.1") // by the next helm
	if claim, took := s.EndTurns("ship-0", 2); claim != "" || s.TurnOf("ship-0", 4, true) != 1 || s.TurnOf("ship-0", 4, false) != 4 {
		t.Errorf("%s is ended after %d turns", claim, took)
	}
	turn(5)
	if claim, _ := s.EndTurns("ship-0", 0); claim != "" {
		t.Error("any number of turns is too many")
	}
	for range 2 {
		if claim, took := s.EndTurns("ship-0", 2); claim != "1.1" || took != 2 {
			t.Errorf("%q is ended after %d turns", claim, took)
		}
		if claim, _ := s.EndTurns("ship-0", 2); claim != "" {
			t.Error("it is ended twice")
		}
		s.EndTurnsAgain("ship-0")
	}
	view := fleet.ShipView{Ship: fleet.Ship{Name: "ship-0", Built: 1}}
	if s.ShowShip(time.Now(), &tasks.State{Task: tasks.Task{ID: "1"}, Epoch: 1}, 2, &view); view.Turn != 2 || view.MaxTurns != 2 {
		t.Errorf("shown is %+v", view)
	}
	if s.ShowShip(time.Now(), nil, 0, &view); view.Turn != 5 {
		t.Errorf("shown is turn %d", view.Turn)
	}
}
