package taskpane

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
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
	p := showing(harbour())
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

// What can never come to pass is told as what it is: a circle, or a task that is not there.
func TestCausesThatStay(t *testing.T) {
	p := showing(knotted())
	same(t, "roots", short(p.Causes("d").Roots),
		"gone: does not exist, so task d waits for ever | d gone",
		"a: a → b → c → a wait for each other | ")
	same(t, "oneself", short(p.Causes("f").Roots), "f: f → f wait for each other | ")
	if c := p.Causes("e"); len(c.Roots) != 0 {
		t.Errorf("e: %v", short(c.Roots))
	}
	// A circle that somebody completed one task of is none.
	b := knotted()
	b.Tasks[2].Status = tasks.Completed
	p.SetBoard(b, noon)
	same(t, "open circle", short(p.Causes("b").Roots), "a: ready, but nobody has claimed it | b a")
}

func TestWhyNobodyClaims(t *testing.T) {
	board := func(change func(*fleet.Board)) *Pane {
		b := &fleet.Board{At: noon, Ships: []fleet.ShipView{ship("ship-0", fleet.Idle, "")}, Tasks: linked([]tasks.State{
			task("1", "First", tasks.Pending), task("2", "Second", tasks.Pending, "1"),
		})}
		change(b)
		return showing(b)
	}
	for want, change := range map[string]func(*fleet.Board){
		"ready, but nobody has claimed it":        func(*fleet.Board) {},
		"ready, but there is no ship to claim it": func(b *fleet.Board) { b.Ships = nil },
		"ready, kept for ship-0 with its group ui": func(b *fleet.Board) {
			b.Tasks[0].ReservedFor, b.Tasks[0].Metadata = "ship-0", map[string]any{"group": "ui"}
		},
		"waits until Mar 15 12:00":                       func(b *fleet.Board) { b.Tasks[0].NotBefore = noon.Add(24 * time.Hour) },
		"on hold, press R to requeue it: ship-0: exit 3": func(b *fleet.Board) { b.Tasks[0].OnHold, b.Tasks[0].Reason = true, "ship-0: exit 3" },
		"in progress on ship-9 for 1m, a ship that is gone": func(b *fleet.Board) {
			b.Tasks[0].Status, b.Tasks[0].Owner, b.Tasks[0].ClaimedAt = tasks.InProgress, "ship-9", ago(time.Minute)
		},
	} {
		if got := board(change).Causes("2").Roots; len(got) != 1 || got[0].Why != want {
			t.Errorf("got %v, want %q", short(got), want)
		}
	}
}

// Every answer is bounded and comes to an end, however the tasks hang together.
func TestCausesAreBounded(t *testing.T) {
	const n = 10_000
	shapes := map[string]func(i int) []string{
		"chain": func(i int) []string { return []string{strconv.Itoa(i + 1)} },
		"fan": func(i int) []string {
			return []string{"none-" + strconv.Itoa(i), strconv.Itoa(2 * i), strconv.Itoa(2*i + 1)}
		},
		"ring":  func(i int) []string { return []string{strconv.Itoa((i + 1) % n)} },
		"rings": func(i int) []string { return []string{strconv.Itoa(i ^ 1), strconv.Itoa((i + 2) % n)} },
	}
	for name, after := range shapes {
		b := &fleet.Board{At: noon}
		for i := range n {
			b.Tasks = append(b.Tasks, task(strconv.Itoa(i), "t", tasks.Pending, after(i)...))
		}
		p := showing(b)
		c := p.Causes("1")
		if len(c.Roots) == 0 || len(c.Roots) > maxWhy || len(c.Between) > maxWhy || c.More == 0 {
			t.Errorf("%s: %d roots, %d between, %d more", name, len(c.Roots), len(c.Between), c.More)
		}
		for _, m := range []Mode{List, Tree, Graph} {
			p.SetMode(m)
			p.Bottom()
			exact(t, p.View(100, 30), 100, 30)
		}
		p.ShowBlockers("1")
		exact(t, p.View(100, 30), 100, 30)
		p.Bottom()
		exact(t, p.View(100, 30), 100, 30)
	}
}

func TestShowBlockers(t *testing.T) {
	p := New()
	if p.ShowBlockers("1") {
		t.Error("blockers of nothing")
	}
	p.SetBoard(harbour(), noon)
	if p.ShowBlockers("99") || !p.ShowBlockers("6") || !p.ShowsBlockers() {
		t.Error("shows what does not exist, or not what does")
	}
	next := harbour()
	for i := range 4 {
		next.Tasks[i].Status = tasks.Completed
	}
	p.SetBoard(next, noon)
	if text := plain(p.View(100, 20)); !strings.Contains(text, "ready, but nobody has claimed it") {
		t.Errorf("does not follow the board:\n%s", text)
	}
	next = harbour()
	next.Tasks = next.Tasks[:3]
	p.SetBoard(next, noon)
	if p.ShowsBlockers() {
		t.Error("shows why a task that is gone waits")
	}
}
