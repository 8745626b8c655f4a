package taskpane

import (
	"strconv"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/dash/standing/standingtest"
)

// Every answer is bounded and ends, whatever the dependencies.
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
		b := &fleet.Board{At: standingtest.Noon}
		for i := range n {
			b.Tasks = append(b.Tasks, standingtest.Task(strconv.Itoa(i), "t", tasks.Pending, after(i)...))
		}
		p := showing(b)
		c := p.Causes("1")
		if len(c.Roots) == 0 || len(c.Roots) > standing.MaxWhy || len(c.Between) > standing.MaxWhy || c.More == 0 {
			t.Errorf("%s: %d roots, %d between, %d more", name, len(c.Roots), len(c.Between), c.More)
		}
		for _, m := range []Mode{List, Tree, Graph} {
			p.SetMode(m)
			p.Bottom()
			golden.Exact(t, p.View(100, 30), 100, 30)
		}
		p.ShowBlockers("1")
		golden.Exact(t, p.View(100, 30), 100, 30)
		p.Bottom()
		golden.Exact(t, p.View(100, 30), 100, 30)
	}
}

func TestShowBlockers(t *testing.T) {
	p := New()
	if p.ShowBlockers("1") {
		t.Error("blockers of nothing")
	}
	p.SetBoard(standingtest.Harbour(), standingtest.Noon)
	if p.ShowBlockers("99") || !p.ShowBlockers("6") || !p.ShowsBlockers() {
		t.Error("shows what does not exist, or not what does")
	}
	next := standingtest.Harbour()
	for i := range 4 {
		next.Tasks[i].Status = tasks.Completed
	}
	p.SetBoard(next, standingtest.Noon)
	if text := golden.Plain(p.View(100, 20)); !strings.Contains(text, "ready, but no ship has claimed it") {
		t.Errorf("does not follow the board:\n%s", text)
	}
	next = standingtest.Harbour()
	next.Tasks = next.Tasks[:3]
	p.SetBoard(next, standingtest.Noon)
	if p.ShowsBlockers() {
		t.Error("shows why a task that is gone waits")
	}
}
