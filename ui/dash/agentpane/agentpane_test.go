package agentpane

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/need"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/golden"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// needs maps statuses to the kind of need that a ship with that status has.
var needs = map[fleet.Word]fleet.NeedKind{
	fleet.Waiting: fleet.NeedAnswer, fleet.Stalled: fleet.NeedStalled, fleet.Exited: fleet.NeedExited,
	fleet.Errored: fleet.NeedFailed, fleet.Unreachable: fleet.NeedUnreachable,
}

// aFleet returns a ship in every status.
func aFleet() *fleet.Board {
	b := &fleet.Board{Phase: fleet.Sailing, Tasks: []tasks.State{{Task: tasks.Task{ID: "7", Subject: "Create login endpoint", Status: tasks.InProgress}}}}
	for i, w := range []fleet.Word{
		fleet.Working, fleet.Waiting, fleet.Limited, fleet.Stalled, fleet.Idle, fleet.Done,
		fleet.Exited, fleet.Errored, fleet.Unreachable, fleet.Provision, fleet.Unknown,
	} {
		s := fleet.ShipView{Status: fleet.Status{Word: w, Reason: "because of " + string(w), Since: noon.Add(-time.Duration(i*i) * time.Minute), Need: needs[w]}}
		s.Name, s.Role = fmt.Sprintf("ship-%d", i), []string{"worker", "validator", "planner", "coordinator"}[i%4]
		b.Ships = append(b.Ships, s)
	}
	b.Ships[0].Task, b.Ships[0].Status.Reason = "7", ""
	return b
}

// aCalmFleet returns a ship in every status, without needs.
func aCalmFleet() *fleet.Board {
	b := aFleet()
	for i := range b.Ships {
		b.Ships[i].Status.Need = ""
	}
	return b
}

// aCostlyFleet returns ships that cost money, some of them with a need for that.
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
	put(p, b)
	return p
}

func put(p *Pane, b *fleet.Board) { p.SetBoard(b, attention.Look(noon, b, need.Away{})) }

func TestScreens(t *testing.T) {
	states := map[string]*Pane{"fleet": shown(aFleet()), "loading": New(), "empty": shown(&fleet.Board{}), "failed": New(), "filtered": shown(aFleet()), "stale": shown(aFleet()), "costly": shown(aCostlyFleet())}
	states["failed"].SetError("snapshot.json: line 3: it is no board")
	_ = states["filtered"].SetFilter("zebra")
	states["stale"].SetNow(noon, true)
	for name, p := range states {
		for _, w := range []int{60, 80, 120, 200} {
			golden.Screen(t, fmt.Sprintf("%s-%d", name, w), strings.Join(p.View(w, 12), "\n"), w, 12)
		}
	}
}

// aSession returns a planner and workers with limited turns, one of which has a long conversation.
func aSession() *fleet.Board {
	b := aCalmFleet()
	b.Ships = b.Ships[:4]
	for i := range b.Ships {
		s := &b.Ships[i]
		s.Turn, s.MaxTurns = 4*i+12, 50
		s.Conversation = proto.Conversation{Tokens: int64(60_000 * i), Window: 200_000}
	}
	return b
}

// The number of remaining turns is shown in half of 80 columns, too.
func TestTurns(t *testing.T) {
	p := shown(aSession())
	for _, w := range []int{38, 60, 80, 120} {
		golden.Screen(t, fmt.Sprintf("turns-%d", w), strings.Join(p.View(w, 6), "\n"), w, 6)
	}
	if text := strings.Join(p.View(38, 6), "\n"); !strings.Contains(text, "16/50") {
		t.Errorf("no turns in\n%s", text)
	}
	p.MoveBy(3)
	if text := strings.Join(Details(p.Selected(), noon), "\n"); !strings.Contains(text, "180k tokens, 90 % of 200k") {
		t.Errorf("no conversation in\n%s", text)
	}
}

// The selection stays on its ship when ships come, go and are filtered.
func TestSelectionStays(t *testing.T) {
	p := shown(aCalmFleet())
	p.MoveBy(4)
	b := aCalmFleet()
	b.Ships = b.Ships[2:]
	put(p, b)
	if got := p.Selected().Name; got != "ship-4" {
		t.Errorf("it is on %s", got)
	}
	b = aCalmFleet()
	b.Ships = slices.Delete(b.Ships, 4, 5)
	put(p, b)
	if p.Selected() == nil {
		t.Error("nothing is selected when the ship is gone")
	}
	_ = p.SetFilter("because of done")
	if got := p.Selected().Name; got != "ship-5" {
		t.Errorf("the filter leaves ship-5 and %s is selected", got)
	}
	p.Select("ship-1")
	if p.Filter() != "" || p.Selected().Name != "ship-1" {
		t.Error("a ship that the filter hides cannot be selected")
	}
	put(p, &fleet.Board{})
	if p.Selected() != nil {
		t.Error("a ship of nothing is selected")
	}
	p.MoveBy(1)
	p.ToggleMark()
	p.Click(3, 2)
}

func TestMarks(t *testing.T) {
	p := shown(aCalmFleet())
	p.ToggleMark()
	p.ToggleMark()
	if got := p.Marked(); !slices.Equal(got, []string{"ship-0", "ship-1"}) {
		t.Errorf("marked: %v", got)
	}
	b := aCalmFleet()
	b.Ships = b.Ships[1:]
	put(p, b)
	if got := p.Marked(); !slices.Equal(got, []string{"ship-1"}) {
		t.Errorf("a ship that is gone is still marked: %v", got)
	}
	if !p.ClearMarks() || p.ClearMarks() {
		t.Error("marks are not cleared")
	}
}

// Whatever a ship's name and texts are, rows keep their width and contain no escape sequence of the ship's.
func TestHostileShips(t *testing.T) {
	b := aFleet()
	for i, text := range []string{"\x1b]52;c;aGk=\a", "\x1b[2J", "a\u202eb", strings.Repeat("界", 400), "👩‍👩‍👧‍👦\ufe0f", "\n\r\t\x00"} {
		b.Ships[i].Name, b.Ships[i].Role, b.Ships[i].Status.Reason, b.Ships[i].Task, b.Ships[i].Guard, b.Ships[i].Costs = "s"+text, text, text, text, text, true
	}
	p := shown(b)
	for w := range 120 {
		p.SetFocused(w%2 == 0)
		for _, row := range p.View(w, 11) {
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

// Needy ships come first, in the order of their needs' urgency, and a row counts those out of sight.
func TestNeedyShipsComeFirst(t *testing.T) {
	b := &fleet.Board{Phase: fleet.Sailing, Tasks: []tasks.State{{Task: tasks.Task{ID: "1", Status: tasks.Pending}}}}
	for i := range 100 {
		s := fleet.ShipView{Status: fleet.Status{Word: fleet.Idle, Since: noon.Add(-time.Hour)}}
		s.Name = fmt.Sprintf("ship-%d", i)
		b.Ships = append(b.Ships, s)
	}
	for i, w := range map[int]fleet.Word{20: fleet.Unreachable, 40: fleet.Exited, 60: fleet.Stalled, 80: fleet.Waiting} {
		b.Ships[i].Status.Word, b.Ships[i].Status.Need = w, needs[w]
	}
	b.Ships[99].Guard = "older than 8h"
	p := shown(b)
	var order []string
	for range 6 {
		order = append(order, p.Selected().Name)
		p.MoveBy(1)
	}
	if want := []string{"ship-80", "ship-40", "ship-60", "ship-20", "ship-99", "ship-0"}; !slices.Equal(order, want) {
		t.Errorf("they come in the order %v, want %v", order, want)
	}
	p.Top()
	text := func() string { return ansi.Strip(strings.Join(p.View(60, 4), "\n")) }
	if s := text(); !strings.Contains(s, "▲ 2 more need you") || strings.Contains(s, "ship-20") {
		t.Errorf("the pane shows\n%s", s)
	}
	p.Click(0, 3)
	if got := p.Selected().Name; got != "ship-80" {
		t.Errorf("a click on what counts the others selects %s", got)
	}
	p.Bottom()
	if s := text(); !strings.Contains(s, "▲ 5 more need you") || !strings.Contains(s, "ship-98") {
		t.Errorf("at the bottom the pane shows\n%s", s)
	}
	_ = p.SetFilter("ship-4")
	if s := text(); !strings.Contains(s, "▲ 4 more need you") {
		t.Errorf("with a filter the pane shows\n%s", s)
	}
	b.Ships[99].Guard = ""
	_ = p.SetFilter("")
	p.Top()
	p.SetNeeds(attention.Look(noon, b, need.Away{}))
	if s := ansi.Strip(strings.Join(p.View(60, 5), "\n")); strings.Contains(s, "more need") {
		t.Errorf("the pane shows\n%s", s)
	}
}

func TestCounts(t *testing.T) {
	if got := Counts(aFleet().Ships); got != "6 active, 1 working" {
		t.Error(got)
	}
}
