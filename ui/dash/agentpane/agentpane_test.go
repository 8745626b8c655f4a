package agentpane

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/dash/golden"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// aFleet has a ship in every status.
func aFleet() *fleet.Board {
	b := &fleet.Board{Tasks: []tasks.State{{Task: tasks.Task{ID: "7", Subject: "Create login endpoint"}}}}
	for i, w := range []fleet.Word{
		fleet.Working, fleet.Waiting, fleet.Limited, fleet.Stalled, fleet.Idle, fleet.Done,
		fleet.Exited, fleet.Errored, fleet.Unreachable, fleet.Provision, fleet.Unknown,
	} {
		s := fleet.ShipView{Status: fleet.Status{Word: w, Reason: "because of " + string(w), Since: noon.Add(-time.Duration(i*i) * time.Minute)}}
		s.Name, s.Role = fmt.Sprintf("ship-%d", i), []string{"worker", "validator", "planner", "coordinator"}[i%4]
		b.Ships = append(b.Ships, s)
	}
	b.Ships[0].Task, b.Ships[0].Status.Reason = "7", ""
	return b
}

// aCostlyFleet has ships that cost, with what the captain should look at.
func aCostlyFleet() *fleet.Board {
	b := aFleet()
	for i := range b.Ships {
		b.Ships[i].Costs, b.Ships[i].Created = true, noon.Add(-time.Duration(i)*time.Hour)
	}
	b.Ships[0].Guard = "older than 8h: it is sunk when its task is done"
	b.Ships[4].Guard = "costs, and has rested for more than 30m with nothing to claim"
	b.Ships[8].Guard = "older than 8h, and not sunk: it cannot be reached, so what it holds is not known"
	return b
}

func shown(b *fleet.Board) *Pane {
	p := New()
	p.SetNow(noon, false)
	p.SetBoard(b)
	return p
}

func TestScreens(t *testing.T) {
	states := map[string]*Pane{"fleet": shown(aFleet()), "loading": New(), "empty": shown(&fleet.Board{}), "failed": New(), "filtered": shown(aFleet()), "stale": shown(aFleet()), "costly": shown(aCostlyFleet())}
	states["failed"].SetError("snapshot.json: line 3: it is no board")
	states["filtered"].SetFilter("zebra")
	states["stale"].SetNow(noon, true)
	for name, p := range states {
		for _, w := range []int{60, 80, 120, 200} {
			golden.Screen(t, fmt.Sprintf("%s-%d", name, w), strings.Join(p.View(w, 12, true), "\n"), w, 12)
		}
	}
}

// The selection stays on its ship when ships come, go and are filtered.
func TestSelectionStays(t *testing.T) {
	p := shown(aFleet())
	p.MoveBy(4)
	b := aFleet()
	b.Ships = b.Ships[2:]
	p.SetBoard(b)
	if got := p.Selected().Name; got != "ship-4" {
		t.Errorf("it is on %s", got)
	}
	b = aFleet()
	b.Ships = slices.Delete(b.Ships, 4, 5)
	p.SetBoard(b)
	if p.Selected() == nil {
		t.Error("nothing is selected when the ship is gone")
	}
	p.SetFilter("because of done")
	if got := p.Selected().Name; got != "ship-5" {
		t.Errorf("the filter leaves ship-5 and %s is selected", got)
	}
	p.Select("ship-1")
	if p.Filter() != "" || p.Selected().Name != "ship-1" {
		t.Error("a ship that the filter hides cannot be selected")
	}
	p.SetBoard(&fleet.Board{})
	if p.Selected() != nil {
		t.Error("a ship of nothing is selected")
	}
	p.MoveBy(1)
	p.ToggleMark()
	p.Click(3, 2)
}

func TestMarks(t *testing.T) {
	p := shown(aFleet())
	p.ToggleMark()
	p.ToggleMark()
	if got := p.Marked(); !slices.Equal(got, []string{"ship-0", "ship-1"}) {
		t.Errorf("marked: %v", got)
	}
	b := aFleet()
	b.Ships = b.Ships[1:]
	p.SetBoard(b)
	if got := p.Marked(); !slices.Equal(got, []string{"ship-1"}) {
		t.Errorf("a ship that is gone is still marked: %v", got)
	}
	if !p.ClearMarks() || p.ClearMarks() {
		t.Error("marks are not cleared")
	}
}

// Whatever a ship calls itself and says, rows keep their width and hold no escape of its own.
func TestHostileShips(t *testing.T) {
	b := aFleet()
	for i, text := range []string{"\x1b]52;c;aGk=\a", "\x1b[2J", "a\u202eb", strings.Repeat("界", 400), "👩‍👩‍👧‍👦\ufe0f", "\n\r\t\x00"} {
		b.Ships[i].Name, b.Ships[i].Role, b.Ships[i].Status.Reason, b.Ships[i].Task, b.Ships[i].Guard, b.Ships[i].Costs = "s"+text, text, text, text, text, true
	}
	p := shown(b)
	for w := range 120 {
		for _, row := range p.View(w, 11, w%2 == 0) {
			if got := ansi.StringWidth(row); got != w {
				t.Fatalf("a row of %d has %d cells: %q", w, got, row)
			}
			for _, bad := range []string{"\x1b]", "\x1b[2J", "\u202e", "\a"} {
				if strings.Contains(row, bad) {
					t.Fatalf("%q got through: %q", bad, row)
				}
			}
		}
	}
}

func TestNeeds(t *testing.T) {
	c := shown(aCostlyFleet())
	if got := CountNeeds(c.ships); got != "8 need you" || Troubled(&c.ships[4]) || Urgency(&c.ships[4]) != 1 {
		t.Error(got)
	}
	p := shown(aFleet())
	if got := CountNeeds(p.ships); got != "6 need you" {
		t.Error(got)
	}
	if got := Counts(p.ships); got != "6 active, 1 working" {
		t.Error(got)
	}
}
