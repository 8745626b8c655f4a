package beads

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/tasks"
)

// project makes a directory with these lines as its issues.
func project(t *testing.T, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".beads"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, Name), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpenPlan(t *testing.T) {
	dep := func(id, on, kind string) string {
		return `{"issue_id":"` + id + `","depends_on_id":"` + on + `","type":"` + kind + `"}`
	}
	dir := project(t,
		`{"id":"k-1","title":"Login","issue_type":"epic","dependencies":[`+dep("k-1", "k-9", "blocks")+`]}`,
		`{"id":"k-1.1","title":"Model","description":"Make it.","priority":1,"labels":["db","group:models"],"estimated_minutes":20,"acceptance_criteria":"it is there","dependencies":[`+dep("k-1.1", "k-1", "parent-child")+`]}`,
		`{"id":"k-1.2","title":"Page","dependencies":[`+dep("k-1.2", "k-1", "parent-child")+","+dep("k-1.2", "k-1.1", "blocks")+`]}`,
		`{"id":"k-8","title":"Done","status":"closed","closed_at":"2026-01-31T12:00:00Z"}`,
		`{"id":"k-9","title":"First","dependencies":[`+dep("k-9", "k-8", "blocks")+`]}`,
	)
	p, defects := OpenPlan(PlanPrefix + dir)
	if len(defects) > 0 || p.Repo.Name != dir || p.Name != filepath.Base(dir) || len(p.Tasks) != 4 || p.Objective == "" || len(p.Spec) == 0 {
		t.Fatalf("it is %+v, with %v", p, defects)
	}
	for id, want := range map[string]string{"k-1": "k-9 k-1_1 k-1_2", "k-1_1": "k-9", "k-1_2": "k-1_1 k-9", "k-9": ""} {
		if got := strings.Join(p.Graph.Task(id).BlockedBy, " "); got != want {
			t.Errorf("%s waits for %q, want %q", id, got, want)
		}
	}
	m := p.Graph.Task("k-1_1")
	if m.Subject != "Model" || m.Description != "Make it."+tasks.AcceptedWhen("it is there") || m.Priority() != 1 || m.Group() != "models" || strings.Join(m.Labels(), " ") != "db" ||
		m.Parent() != "k-1" || m.Acceptance() != "it is there" || m.Estimate().Minutes() != 20 || m.Metadata[Key] != "k-1.1" {
		t.Errorf("it is %+v", m)
	}
}

func TestOpenPlanDefects(t *testing.T) {
	for want, lines := range map[string][]string{
		`.beads/issues.jsonl:1:1: status: warning: k-1 is in_progress, and is left out|.beads/issues.jsonl:2:1: status: warning: k-2 waits for k-1, and is left out`: {
			`{"id":"k-1","title":"x","status":"in_progress"}`, `{"id":"k-2","title":"x","dependencies":[{"depends_on_id":"k-1","type":"blocks"}]}`, `{"id":"k-3","title":"x"}`,
		},
		`.beads/issues.jsonl:1:1: status: warning: k-1 is deferred until 2999-01-01, and is left out`: {`{"id":"k-1","title":"x","defer_until":"2999-01-01T00:00:00Z"}`, `{"id":"k-3","title":"x"}`},
		`.beads/issues.jsonl:1:1: dependencies: error: issues wait for each other: k-1 → k-2 → k-1`: {
			`{"id":"k-1","title":"x","dependencies":[{"depends_on_id":"k-2","type":"blocks"}]}`, `{"id":"k-2","title":"x","dependencies":[{"depends_on_id":"k-1","type":"blocks"}]}`,
		},
		`.beads/issues.jsonl:1:1: dependencies: warning: there is no issue "k-7", and bd leaves that out`: {`{"id":"k-1","title":"x","dependencies":[{"depends_on_id":"k-7","type":"blocks"}]}`},
		`.beads/issues.jsonl:2:1: id: error: "k_1" and "k.1" would be the same task`:                      {`{"id":"k.1","title":"x"}`, `{"id":"k_1","title":"x"}`},
		`.beads/issues.jsonl:1:1: id: error: "k/1" cannot be the id of a task`:                            {`{"id":"k/1","title":"x"}`},
		`.beads/issues.jsonl: error: holds no open issue`:                                                 {`{"_type":"memory"}`},
		`.beads/issues.jsonl:1:1: error: cannot be read: is no JSON object`:                               {`7`, `{"id":"k-1","title":"x"}`},
	} {
		_, defects := OpenPlan(PlanPrefix + project(t, lines...))
		var got []string
		for _, d := range defects {
			got = append(got, d.String())
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s\n has %s\nwant %s", strings.Join(lines, "\n"), strings.Join(got, "|"), want)
		}
	}
	if _, defects := OpenPlan(PlanPrefix + t.TempDir()); len(defects) != 1 || !strings.Contains(defects[0].Fix, "bd export -o") {
		t.Errorf("without a file it has %v", defects)
	}
	if _, defects := OpenPlan("example:tiny"); len(defects) > 0 {
		t.Errorf("another plan has %v", defects)
	}
}
