package watchman

import (
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/guard"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/notes/notestest"
	"ocaptain/fleet/helm/roster"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/wake"
)

// The captain is warned once of a ship that is too old, for as long as it is there. A ship that is new since the look began waits for the next.
func TestLook(t *testing.T) {
	kite, now := notestest.New(t), time.Now()
	guards := fleet.Guards{MaxAge: time.Hour}
	old := &fleet.Ship{Name: "ship-0", Provider: "sprites", Phase: fleet.Afloat, Created: now.Add(-2 * time.Hour)}
	fresh := &fleet.Ship{Name: "ship-1", Provider: "sprites", Phase: fleet.Afloat, Created: now.Add(-2 * time.Hour)}
	r := roster.New(roster.Options{News: &wake.News{}, Paint: wake.New(), Book: kite.Book}, fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{old, fresh}}, fleet.Recorder{})
	seen := []*fleet.Ship{old}
	w := New(Options{
		Core: &core.Core{Info: fleet.Voyage{ID: "kite"}, Guards: guards, Roster: r, Notes: kite.Notes, Paint: wake.New(), Clock: func() guard.Clock { return guard.Clock{} }},
		Ships: func(time.Time) map[string]Ship {
			all := map[string]Ship{}
			for _, f := range seen {
				all[f.Name] = Ship{Known: resolve.Known{Ship: *f}, Heard: true}
			}
			return all
		},
	})
	for range 2 {
		w.Look(now, time.Minute)
		if told := kite.Told(); w.Why("ship-0") == "" || w.Why("ship-1") != "" || len(told) != 1 {
			t.Fatalf("ship-0: %q, ship-1: %q, told %q", w.Why("ship-0"), w.Why("ship-1"), told)
		}
	}
	seen = []*fleet.Ship{old, fresh}
	if w.Look(now, time.Minute); w.Why("ship-1") == "" || len(kite.Told()) != 2 {
		t.Errorf("ship-1: %q, told %q", w.Why("ship-1"), kite.Told())
	}
	if w.Why("") != "" {
		t.Errorf("the voyage: %q", w.Why(""))
	}
}
