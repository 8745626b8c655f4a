package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// checkVoyage checks what holds for every finished voyage: each task was completed by one accepted claim, each task
// that changed something has one commit, and workspace/ equals the branch.
func checkVoyage(t *testing.T, c *captain, d fleet.Dir, board fleet.Board, jobs []job) {
	t.Helper()
	for _, s := range board.Ships {
		if strings.Contains(s.Machine.Note, "shares this machine's network") {
			t.Errorf("%s %s", s.Name, s.Machine.Note)
		}
	}
	ws := d.Workspace()
	if got := c.git(ws, "symbolic-ref", "--short", "HEAD"); got != d.ID() {
		t.Errorf("workspace is on %s", got)
	}
	if got := c.git(ws, "status", "--porcelain"); got != "" {
		t.Errorf("workspace differs from the branch:\n%s", got)
	}
	commits := map[string][]string{}
	const format = "%H%x1f%an%x1f%cn%x1f%s%x1f%(trailers:key=Ocaptain-Task,valueonly,separator=%x2C)%x1f%(trailers:key=Ocaptain-Ship,valueonly,separator=%x2C)"
	for line := range strings.Lines(c.git(ws, "log", "--reverse", "--format="+format, board.Voyage.Base+"..HEAD")) {
		f := strings.Split(strings.TrimSpace(line), "\x1f")
		if len(f) != 6 {
			t.Fatalf("odd log line %q", line)
		}
		commits[f[4]] = append(commits[f[4]], f[0])
		if f[1] != f[5] || f[2] != "Ada Captain" {
			t.Errorf("commit %.8s of task %s: author %q, committer %q, ship %q", f[0], f[4], f[1], f[2], f[5])
		}
	}
	completions := map[string]int{}
	raw, err := os.ReadFile(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if strings.Contains(line, `"task.completed"`) {
			for _, j := range jobs {
				if strings.Contains(line, `"`+j.id+`"`) {
					completions[j.id]++
					break
				}
			}
		}
	}
	for _, j := range jobs {
		want := 1
		if j.run == "true" {
			want = 0
		}
		if n := len(commits[j.id]); n != want {
			t.Errorf("task %s has %d commits, want %d", j.id, n, want)
		} else if n == 1 {
			if s := c.git(ws, "log", "-1", "--format=%s", commits[j.id][0]); s != j.subject {
				t.Errorf("task %s: its commit says %q", j.id, s)
			}
		}
		if completions[j.id] != 1 {
			t.Errorf("task %s was completed %d times", j.id, completions[j.id])
		}
	}
	if !board.Verify.Passed {
		t.Errorf("not verified: %s", board.Verify.Output)
	}
}

// smallPlan returns a plan of quick tasks in rows that depend on the row before.
func smallPlan(rows, wide int, each string) []job {
	var jobs []job
	var before []string
	for r := range rows {
		var row []string
		for w := range wide {
			id := fmt.Sprint(len(jobs) + 1)
			jobs = append(jobs, job{id: id, subject: fmt.Sprintf("Row %d, task %d", r, w), run: fmt.Sprintf("%s; echo %s >r%dw%d", each, id, r, w), after: before})
			row = append(row, id)
		}
		before = row
	}
	return jobs
}

func smallVerify(n int) string {
	return fmt.Sprintf("#!/bin/bash\nset -eu\ncd ~/voyage/workspace\ntest \"$(ls | wc -l)\" = %d\n", n)
}
