package tasks

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawing makes tasks from lines such as "3 < 1 2": task 3 waits for 1 and 2.
func drawing(lines ...string) []Task {
	var all []Task
	for _, line := range lines {
		id, blockers, _ := strings.Cut(line, " <")
		all = append(all, Task{ID: id, Subject: "task " + id, Status: Pending, BlockedBy: strings.Fields(blockers)})
	}
	return all
}

func TestGraph(t *testing.T) {
	all := drawing("10 < 2 9", "9 < 1", "2 < 1", "1", "4", "5 < 4 10")
	all[4].Blocks = []string{"9", "77"}
	all[0].BlockedBy = append(all[0].BlockedBy, "2", "78")
	all = append(all, Task{ID: "1", BlockedBy: []string{"10"}}) // the first task 1 counts, not this one
	g := NewGraph(all)

	if got := fmt.Sprint(g.Levels()); got != "[[1 4] [2 9] [10] [5]]" {
		t.Errorf("levels %s", got)
	}
	if got := fmt.Sprint(g.Blockers("9"), g.Dependents("4"), g.Blockers("10"), g.Level("5"), g.Level("78")); got != "[1 4] [5 9] [2 9] 4 0" {
		t.Errorf("edges %s", got)
	}
	if g.Width() != 2 || g.UsefulShips() != 2 || g.Cycles() != nil || g.NeverReady() != nil {
		t.Errorf("width %d, ships %d, cycles %v, never %v", g.Width(), g.UsefulShips(), g.Cycles(), g.NeverReady())
	}
	path, length := g.Critical()
	if fmt.Sprint(path) != "[1 2 10 5]" || length != 0 {
		t.Errorf("critical path %v, %v", path, length)
	}
}

func TestGraphOfNothing(t *testing.T) {
	g := NewGraph(nil)
	path, _ := g.Critical()
	if g.Width() != 0 || g.UsefulShips() != 1 || len(g.Levels()) != 0 || path != nil || g.Cycles() != nil {
		t.Errorf("width %d, ships %d, levels %v, path %v", g.Width(), g.UsefulShips(), g.Levels(), path)
	}
}

func TestGraphCycles(t *testing.T) {
	for _, c := range []struct {
		lines  []string
		cycles string
		never  string
	}{
		{[]string{"1 < 3", "2 < 1", "3 < 2", "4 < 3", "5"}, "[[1 2 3 1]]", "[1 2 3 4]"},
		{[]string{"1 < 1"}, "[[1 1]]", "[1]"},
		{[]string{"1 < 2", "2 < 1 3", "3 < 2"}, "[[1 2 1] [2 3 2]]", "[1 2 3]"},
		{[]string{"a < b", "b < a", "7 < 8", "8 < 7"}, "[[7 8 7] [a b a]]", "[7 8 a b]"},
	} {
		g := NewGraph(drawing(c.lines...))
		if got := fmt.Sprint(g.Cycles()); got != c.cycles {
			t.Errorf("%v: cycles %s, want %s", c.lines, got, c.cycles)
		}
		if got := fmt.Sprint(g.NeverReady()); got != c.never {
			t.Errorf("%v: never ready %s, want %s", c.lines, got, c.never)
		}
	}
}

func TestGraphEstimates(t *testing.T) {
	all := drawing("1", "2 < 1", "3 < 2", "4", "5 < 4")
	all[3].Metadata = map[string]any{"estimate": 90.0}
	all[0].Metadata = map[string]any{"estimate": 10.0}
	path, length := NewGraph(all).Critical() // chain 1, 2, 3 takes 10+50+50 minutes, and chain 4, 5 takes 90+50
	if fmt.Sprint(path) != "[4 5]" || length != 140*time.Minute {
		t.Errorf("critical path %v, %v", path, length)
	}
	for _, wrong := range []any{"90", -1.0, 0.0, nil, true} {
		if e := (Task{Metadata: map[string]any{"estimate": wrong}}).Estimate(); e != 0 {
			t.Errorf("estimate %v counts as %v", wrong, e)
		}
	}
	if e := (Task{Metadata: map[string]any{"estimate": 1e300}}).Estimate(); e != 24*time.Hour {
		t.Errorf("a huge estimate counts as %v", e)
	}
}

func TestGraphGroups(t *testing.T) {
	all := drawing("1", "2", "3", "4", "5 < 1")
	for _, i := range []int{1, 2, 4} {
		all[i].Metadata = map[string]any{"group": "docs"}
	}
	g := NewGraph(all)
	if g.Width() != 4 || g.UsefulShips() != 3 || fmt.Sprint(g.Groups()) != "[{docs [2 3 5]}]" {
		t.Errorf("width %d, ships %d, groups %v", g.Width(), g.UsefulShips(), g.Groups())
	}
}

func TestLink(t *testing.T) {
	all := drawing("1", "2 < 1 1 9", "3")
	all[2].Blocks = []string{"2", "8"}
	linked := LinkBothWays(all)
	got := ""
	for _, l := range linked {
		got += fmt.Sprint(l.ID, l.Blocks, l.BlockedBy, " ")
	}
	if got != "1[2] [] 2[] [1 9 3] 3[2 8] [] " {
		t.Errorf("linked: %s", got)
	}
	if len(all[0].Blocks) != 0 {
		t.Error("Link changed its argument")
	}
}

// anyTasks draws tasks with references in both directions, with cycles and dangling references.
func anyTasks(t *rapid.T) []Task {
	n := rapid.IntRange(0, 12).Draw(t, "tasks")
	id := rapid.Map(rapid.IntRange(1, n+1), strconv.Itoa)
	var all []Task
	for i := range n {
		all = append(all, Task{
			ID:        strconv.Itoa(i + 1),
			BlockedBy: rapid.SliceOfN(id, 0, 2).Draw(t, "blockedBy"),
			Blocks:    rapid.SliceOfN(id, 0, 1).Draw(t, "blocks"),
		})
	}
	return all
}

// waits returns which task waits for which, found without the graph.
func waits(all []Task) map[string]map[string]bool {
	edges := map[string]map[string]bool{}
	for _, t := range all {
		edges[t.ID] = map[string]bool{}
	}
	for _, t := range all {
		for _, id := range t.BlockedBy {
			if edges[id] != nil {
				edges[t.ID][id] = true
			}
		}
		for _, id := range t.Blocks {
			if edges[id] != nil {
				edges[id][t.ID] = true
			}
		}
	}
	return edges
}

// acyclic reports whether removing tasks without blockers, again and again, removes all tasks.
func acyclic(edges map[string]map[string]bool) bool {
	left := maps.Clone(edges)
	for len(left) > 0 {
		free := ""
		for id, blockers := range left {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(blockers)), func(b string) bool { return left[b] != nil }) {
				free = id
			}
		}
		if free == "" {
			return false
		}
		delete(left, free)
	}
	return true
}

func TestGraphProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := anyTasks(t)
		g := NewGraph(all)
		edges := waits(all)

		for id, blockers := range edges {
			if got := slices.Sorted(maps.Keys(blockers)); !slices.Equal(got, slices.Sorted(slices.Values(g.Blockers(id)))) {
				t.Fatalf("blockers of %s: %v, want %v", id, g.Blockers(id), got)
			}
			if level := g.Level(id); level > 0 {
				highest := 0
				for b := range blockers {
					if g.Level(b) == 0 {
						t.Fatalf("%s has a level, its blocker %s has none", id, b)
					}
					highest = max(highest, g.Level(b))
				}
				if level != highest+1 {
					t.Fatalf("%s is on level %d over blockers on %d", id, level, highest)
				}
			}
		}

		cycles := g.Cycles()
		if (len(cycles) == 0) != acyclic(edges) {
			t.Fatalf("cycles %v, but acyclic is %v", cycles, acyclic(edges))
		}
		for _, path := range cycles {
			if len(path) < 2 || path[0] != path[len(path)-1] {
				t.Fatalf("cycle %v is not closed", path)
			}
			for i := range len(path) - 1 {
				if !waits(all)[path[i+1]][path[i]] {
					t.Fatalf("cycle %v: %s does not wait for %s", path, path[i+1], path[i])
				}
			}
			delete(edges[path[len(path)-1]], path[len(path)-2])
		}
		if !acyclic(edges) {
			t.Fatalf("breaking %v leaves cycles", cycles)
		}

		path, _ := g.Critical()
		if len(path) != len(g.Levels()) {
			t.Fatalf("critical path %v through %d levels", path, len(g.Levels()))
		}
		again := NewGraph(LinkBothWays(all))
		if fmt.Sprint(again.Levels()) != fmt.Sprint(g.Levels()) {
			t.Fatalf("linked tasks have levels %v, want %v", again.Levels(), g.Levels())
		}
	})
}

// many returns n tasks that each wait for three earlier tasks, and a last task that waits for all.
func many(n int) []Task {
	all := make([]Task, n)
	for i := range all {
		t := Task{ID: strconv.Itoa(i + 1), Status: Pending}
		if i > 100 {
			t.BlockedBy = []string{strconv.Itoa(i - 99), strconv.Itoa(i/2 + 1), strconv.Itoa(i/3 + 1)}
		}
		all[i] = t
	}
	for i := range n - 1 {
		all[n-1].BlockedBy = append(all[n-1].BlockedBy, strconv.Itoa(i+1))
	}
	return all
}

func TestLongChains(t *testing.T) {
	const n = 10_000
	chain := make([]Task, n)
	for i := range chain {
		chain[i] = Task{ID: strconv.Itoa(i + 1), BlockedBy: []string{strconv.Itoa(i)}}
	}
	chain[0].BlockedBy = nil
	g := NewGraph(chain)
	if path, _ := g.Critical(); len(path) != n || len(g.Levels()) != n {
		t.Errorf("a chain of %d has a path of %d through %d levels", n, len(path), len(g.Levels()))
	}
	chain[0].BlockedBy = []string{strconv.Itoa(n)}
	cycles := NewGraph(chain).Cycles()
	if len(cycles) != 1 || len(cycles[0]) != n+1 {
		t.Errorf("a ring of %d has %d cycles", n, len(cycles))
	}
	if text := PathText(cycles[0]); len(text) > 300 || !strings.HasPrefix(text, "1 → 2 → ") || !strings.HasSuffix(text, " → 10000 → 1") {
		t.Errorf("the ring is written as %s", text)
	}
}

func BenchmarkNewGraph(b *testing.B) {
	all := many(10_000)
	for b.Loop() {
		NewGraph(all)
	}
}
