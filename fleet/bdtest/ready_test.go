package bdtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks/beads"
)

// graphs is how many random graphs bd gets at once. All are in one file, since an import takes at least a second, plus a time that
// grows with the square of the number of issues.
const graphs = 80

// randomIssues returns the lines of random graphs of issues. An issue comes after the issues that it depends on, as bd demands. With
// plain set, the graphs have nothing that the generations of bd judge differently: conditions, gates, parts of deferred issues, and
// closed issues that wait.
func randomIssues(seed uint64, plain bool) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	for g := range graphs {
		types := map[int]string{}
		for i := range 2 + r.IntN(8) {
			id := func(i int) string { return fmt.Sprintf("kite-%dx%d", g, i) }
			issue := map[string]any{
				"id": id(i), "title": "Issue " + id(i), "priority": r.IntN(5), "issue_type": pick("task", "task", "bug", "epic"),
				"created_at": "2026-01-31T12:00:00Z", "updated_at": "2026-01-31T12:00:00Z", "status": pick("open", "open", "open", "in_progress", "blocked", "deferred", "closed"),
			}
			types[i], _ = issue["issue_type"].(string)
			if issue["status"] == "closed" {
				issue["closed_at"], issue["close_reason"] = "2026-01-31T13:00:00Z", pick("done", "", "Failed: no way", "cancelled: why")
			}
			switch later := r.IntN(12); {
			case later == 0 && !plain:
				issue["defer_until"] = "2999-01-01T00:00:00Z"
			case later == 1:
				issue["defer_until"] = "2020-01-01T00:00:00Z"
			case later == 2:
				issue["pinned"] = true
			}
			var deps []beads.Dependency
			on := map[int]bool{}
			for range r.IntN(3) {
				if i == 0 || plain && issue["status"] == "closed" {
					break
				}
				d := r.IntN(i)
				if issue["issue_type"] == "epic" && types[d] != "epic" {
					continue // bd refuses an epic that is a part of a task
				}
				kind := pick("blocks", "blocks", "parent-child", "parent-child", "related", "discovered-from", "conditional-blocks", "waits-for")
				if plain && kind[0] != 'b' && kind[0] != 'p' {
					kind = "related"
				}
				if on[d] {
					continue
				}
				on[d] = true
				dep := beads.Dependency{Issue: id(i), DependsOn: id(d), Type: kind, Created: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
				if kind == "waits-for" {
					dep.Metadata = pick(`{"gate":"all-children"}`, `{"gate":"any-children"}`)
				}
				deps = append(deps, dep)
			}
			if deps != nil {
				issue["dependencies"] = deps
			}
			line, _ := json.Marshal(issue)
			b.Write(append(line, '\n'))
		}
	}
	return []byte(b.String())
}

// graphOf returns the lines of the graph that contains an issue.
func graphOf(data []byte, id string) string {
	graph, _, _ := strings.Cut(id, "x")
	var lines string
	for l := range strings.Lines(string(data)) {
		if strings.Contains(l, `"id":"`+graph+"x") {
			lines += l
		}
	}
	return lines
}

func agrees(t *testing.T, version string, seed uint64) {
	t.Helper()
	data := randomIssues(seed, version == Dolt)
	f := beads.Read(data)
	if len(f.Defects) > 0 {
		t.Fatal(f.Defects)
	}
	p := Begin(t, version, data)
	var want, got []string
	for _, i := range p.List("ready", "-n", "0") {
		want = append(want, i.ID)
	}
	for _, i := range beads.Ready(f.Issues(), time.Now()) {
		got = append(got, i.ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	wrong := 0
	for _, id := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(want, got)))) {
		_, theirs := slices.BinarySearch(want, id)
		_, ours := slices.BinarySearch(got, id)
		if ours != theirs {
			if wrong++; wrong < 10 {
				t.Errorf("%s: ready for bd %v, for us %v, in:\n%s", id, theirs, ours, graphOf(data, id))
			}
		}
	}
	t.Logf("bd %s and ocaptain call %d and %d of %d issues ready, %d of them differ", version, len(want), len(got), len(f.Issues()), wrong)
}

func TestBinary(t *testing.T) { Binary(t, Files) }

func TestReadyAgrees(t *testing.T) { agrees(t, Files, 53) }
