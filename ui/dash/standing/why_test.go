package standing

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/tasks"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/standing/standingtest"
)

// short writes causes in short: id, why and the way to it.
func short(all []Cause) []string {
	var lines []string
	for _, c := range all {
		lines = append(lines, c.ID+": "+c.Why+" | "+strings.Join(c.Path, " "))
	}
	return lines
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant:\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCauses(t *testing.T) {
	p := showing(standingtest.Harbour())
	c := p.Causes("10")
	same(t, "roots", short(c.Roots),
		"4: in progress on ship-1 for 6m, which is waiting: asks for permission: Bash | 10 6 5 4",
		"9: waits until 14:05: ship-1: needs the new key | 10 9",
		"3: in progress on ship-0 for 3m | 10 6 5 3")
	same(t, "between", short(c.Between), "6: after 5 | ", "5: after 3, 4 | ")
	for _, id := range []string{"1", "3", "8", "nothing"} {
		if c := p.Causes(id); len(c.Roots)+len(c.Between) > 0 {
			t.Errorf("%s: %v", id, short(c.Roots))
		}
	}
	same(t, "of a time", short(p.Causes("9").Roots), "9: waits until 14:05: ship-1: needs the new key | 9")
}

// What can never become ready has its own cause: a circle, or a missing task.
func TestCausesThatStay(t *testing.T) {
	p := showing(standingtest.Knotted())
	same(t, "roots", short(p.Causes("d").Roots),
		"gone: does not exist, so task d can never be claimed | d gone",
		"a: a → b → c → a wait for each other | ")
	same(t, "oneself", short(p.Causes("f").Roots), "f: f → f wait for each other | ")
	if c := p.Causes("e"); len(c.Roots) != 0 {
		t.Errorf("e: %v", short(c.Roots))
	}
	// A circle with a completed task is not a circle.
	b := standingtest.Knotted()
	b.Tasks[2].Status = tasks.Completed
	p.SetBoard(b, standingtest.Noon)
	same(t, "open circle", short(p.Causes("b").Roots), "a: ready, but no ship has claimed it | b a")
}

func TestWhyNobodyClaims(t *testing.T) {
	board := func(change func(*fleet.Board)) *Tasks {
		b := &fleet.Board{At: standingtest.Noon, Ships: []fleet.ShipView{standingtest.Ship("ship-0", fleet.Idle, "")}, Tasks: standingtest.Linked([]tasks.State{
			standingtest.Task("1", "First", tasks.Pending), standingtest.Task("2", "Second", tasks.Pending, "1"),
		})}
		change(b)
		return showing(b)
	}
	for want, change := range map[string]func(*fleet.Board){
		"ready, but no ship has claimed it":       func(*fleet.Board) {},
		"ready, but there is no ship to claim it": func(b *fleet.Board) { b.Ships = nil },
		"ready, kept for ship-0 with its group ui": func(b *fleet.Board) {
			b.Tasks[0].ReservedFor, b.Tasks[0].Metadata = "ship-0", map[string]any{"group": "ui"}
		},
		"waits until Mar 15 12:00":                       func(b *fleet.Board) { b.Tasks[0].NotBefore = standingtest.Noon.Add(24 * time.Hour) },
		"on hold, press R to requeue it: ship-0: exit 3": func(b *fleet.Board) { b.Tasks[0].OnHold, b.Tasks[0].Reason = true, "ship-0: exit 3" },
		"in progress on ship-9 for 1m, a ship that is gone": func(b *fleet.Board) {
			b.Tasks[0].Status, b.Tasks[0].Owner, b.Tasks[0].ClaimedAt = tasks.InProgress, "ship-9", standingtest.Ago(time.Minute)
		},
	} {
		if got := board(change).Causes("2").Roots; len(got) != 1 || got[0].Why != want {
			t.Errorf("got %v, want %q", short(got), want)
		}
	}
}

// TestReview says where each task in review stands.
func TestReview(t *testing.T) {
	p := showing(standingtest.InReview())
	for id, text := range map[string]string{
		"3": "in review, reviewing by validator-0 for 2m",
		"4": "in review, waits for its turn, handed in 5m ago",
		"8": "in review, merging, approved by validator-0, handed in 20m ago",
		"9": "ready, kept for ship-1",
	} {
		if got := p.Cause(p.Order.Place[id]).Why; got != text {
			t.Errorf("%s: %q, want %q", id, got, text)
		}
	}
	h := p.All[p.Order.Place["4"]].HandIn
	h.Checked = "cafe"
	if got := p.Cause(p.Order.Place["4"]).Why; got != "in review, checked, waits for a validator, handed in 5m ago" {
		t.Errorf("%q", got)
	}
	p.Board.Ships = p.Board.Ships[:3]
	if got := p.Cause(p.Order.Place["3"]).Why; !strings.Contains(got, "a ship that is gone") {
		t.Errorf("%q", got)
	}
}

// showing returns the tasks of a board, with its needs.
func showing(b *fleet.Board) *Tasks {
	t := &Tasks{Needs: attention.Look(standingtest.Noon, b, need.Away{})}
	t.SetBoard(b, standingtest.Noon)
	return t
}
