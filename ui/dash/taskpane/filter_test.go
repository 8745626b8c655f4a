package taskpane

import (
	"strings"
	"testing"

	"ocaptain/tasks"
	"ocaptain/ui/dash/standing/standingtest"
)

func TestFilters(t *testing.T) {
	for _, tt := range []struct {
		grep         string
		ready, undon bool
		shown        string
	}{
		{"", true, false, "8"},
		{"", false, true, "3 4 8 5 6 10 9"},
		{"login", false, false, "4 8"},
		{"Login", false, false, ""},
		{"!login", false, true, "3 5 6 10 9"},
		{"^1", false, false, "10 1"},
		{"JWT|HTTP", false, false, "3 7"},
		{"ship-1", false, false, "4 2"},
		{"(", false, false, ""},
		{"!", false, false, "3 4 8 5 6 10 9 1 2 7"},
		{"login", true, true, "8"},
	} {
		p := showing(standingtest.Harbour())
		if err := p.SetFilter(tt.grep); (err != nil) != (tt.grep == "(") {
			t.Errorf("%q: %v", tt.grep, err)
		}
		p.ReadyOnly(tt.ready)
		p.HideCompleted(tt.undon)
		want(t, p, tt.shown)
		p.SetMode(Graph)
		if n := len(p.rows); n != len(strings.Fields(tt.shown)) {
			t.Errorf("%q: %d shown in the graph", tt.grep, n)
		}
		p.ClearFilters()
		if n := len(p.rows); n != 10 {
			t.Errorf("%d shown without filters", n)
		}
	}
}

// A filter judges changed tasks again, and searches for an invalid expression as plain text.
func TestFilterFollows(t *testing.T) {
	p := showing(standingtest.Harbour())
	if p.SetFilter("hello (") == nil {
		t.Error("a wrong expression has no error")
	}
	want(t, p, "")
	next := standingtest.Harbour()
	next.Tasks[4].Subject = "Say Hello (twice)"
	p.SetBoard(next, standingtest.Noon)
	want(t, p, "5")
	if err := p.SetFilter("ship-2$|ship-2 "); err != nil {
		t.Fatal(err)
	}
	want(t, p, "7")
	last := standingtest.Harbour()
	last.Tasks[7].Owner, last.Tasks[7].Status = "ship-2", tasks.InProgress
	p.SetBoard(last, standingtest.Noon)
	want(t, p, "8 7")
}

// A filtered tree stays connected: each task is below its nearest shown ancestor.
func TestFilteredTree(t *testing.T) {
	p := showing(standingtest.Harbour())
	p.SetMode(Tree)
	want(t, p, "1 2 3 5 6 10 4 8 7 9")
	if err := p.SetFilter("!^(2|5) "); err != nil {
		t.Fatal(err)
	}
	want(t, p, "1 3 6 10 4 8 7 9")
	if up := p.tree.parent[p.Order.Place["6"]]; p.All[up].ID != "3" {
		t.Errorf("6 hangs below %s", p.All[up].ID)
	}
	p.HideCompleted(true)
	want(t, p, "3 6 10 4 8 9")
}

// The parts of an epic are below it, or below the part that they wait for. An epic that claims to be a part of itself, or of its own part,
// still has a place.
func TestTreeOfEpics(t *testing.T) {
	of := func(id, epic string, meta map[string]any, after ...string) tasks.State {
		is := standingtest.Task(id, "task "+id, tasks.Pending, after...)
		if is.Metadata = meta; is.Metadata == nil {
			is.Metadata = map[string]any{}
		}
		if epic != "" {
			is.Metadata["parent"] = epic
		}
		return is
	}
	epic := func() map[string]any { return map[string]any{"type": tasks.Epic} }
	b := standingtest.Harbour()
	b.Tasks = standingtest.Linked([]tasks.State{
		of("1", "", epic()), of("2", "", epic()), of("3", "3", epic()), of("4", "5", epic()), of("5", "4", epic()),
		of("1-1", "1", nil), of("1-2", "1", nil, "1-1"), of("1-3", "1", nil), of("1-2-1", "1-2", nil), of("1-2-2", "1-2", nil, "1-2-1"), of("2-1", "2", nil), of("9-1", "9", nil),
	})
	p := showing(b)
	p.SetMode(Tree)
	want(t, p, "1 1-1 1-2 1-2-1 1-2-2 1-3 2 2-1 3 5 4 9-1")
	for id, depth := range map[string]int32{"1": 0, "1-1": 1, "1-2": 2, "1-3": 1, "1-2-1": 3, "1-2-2": 4, "2-1": 1, "3": 0, "9-1": 0} {
		if is := p.tree.depth[p.Order.Place[id]]; is != depth {
			t.Errorf("%s is %d deep", id, is)
		}
	}
}
