package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// bigRepo makes a repository of a few thousand files, as an open-source project has.
func (c *captain) bigRepo(files int) string {
	c.Helper()
	for i := range files {
		c.write(fmt.Sprintf("project/src/pkg%02d/dir%d/file%04d.txt", i%40, i%7, i),
			strings.Repeat(fmt.Sprintf("line of file %d\n", i), 20))
	}
	c.write("project/CHANGES", "# Changes\n\n- begin\n")
	c.write("project/list.txt", "one\ntwo\nthree\n")
	c.write("project/.gitignore", "*.o\nbuild/\n")
	c.write("project/tool.sh", "#!/bin/sh\necho tool\n")
	dir := filepath.Join(c.home, "project")
	c.git(dir, "init", "-q")
	c.git(dir, "add", "-A")
	c.git(dir, "commit", "-qm", "begin")
	return dir
}

// bigPlan has 26 tasks: some alone, some that touch each other's lines and must
// conflict when they run at the same time, some about modes, links and removals.
func bigPlan() []job {
	var jobs []job
	add := func(subject, run string, after ...string) string {
		id := fmt.Sprint(len(jobs) + 1)
		jobs = append(jobs, job{id: id, subject: subject, run: run, after: after})
		return id
	}
	begin := add("Make the build directory known", `mkdir -p docs && echo "# Docs" >docs/index.md`)
	var wide []string
	for i := range 10 {
		wide = append(wide, add(fmt.Sprintf("Write chapter %d", i),
			fmt.Sprintf(`sleep 0.1; mkdir -p build; echo junk >build/x.o; echo "chapter %d" >docs/chapter%d.md; sed -i '1s/.*/edited by %d/' src/pkg%02d/dir%d/file%04d.txt`,
				i, i, i, i%40, i%7, i), begin))
	}
	for i := range 8 { // all append to the same place
		wide = append(wide, add(fmt.Sprintf("Note change %d", i), fmt.Sprintf(`sleep 0.3; echo "- change %d" >>CHANGES`, i), begin))
	}
	mode := add("Make the tool a link", `chmod +x tool.sh; ln -s tool.sh tool; git mv list.txt numbers.txt`, begin)
	gone := add("Remove what is old", `git rm -rq src/pkg39; rm -f src/pkg38/dir*/file0*`, mode)
	same := add("Change nothing", `true`, begin)
	commits := add("Commit by hand", `echo a >a.txt && git add a.txt && git commit -qm "by hand" && echo b >b.txt`, begin)
	odd := add("Use odd names", `printf x >"with space"; printf y >"$(printf 'new\nline')"; printf z >./-dash; printf 'ü' >ü.txt`, begin)
	join := add("Count", `n=$(ls docs | wc -l); echo "$n" >docs/count`, append(wide, gone, same, commits, odd)...)
	add("Close", `echo done >DONE`, join)
	return jobs
}

const bigVerify = `#!/bin/bash
set -eux
cd "$HOME/voyage/workspace"
test -z "$(git status --porcelain)"
test "$(cat DONE)" = done
test "$(grep -c '^- change' CHANGES)" = 8
test "$(cat docs/count)" = 11
test -x tool.sh && test -L tool && test "$(./tool)" = tool
test ! -e list.txt && test -f numbers.txt && test ! -e src/pkg39 && test ! -e build
test -f ./-dash && test -f "with space"
`

// TestRealRepository sails a plan in the original's format on a repository of some
// size, with tasks that conflict on purpose.
func TestRealRepository(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	repo := c.bigRepo(3000)
	jobs := bigPlan()
	d := c.sail(c.plan("big", repo, bigVerify, jobs), "-n", "3", "--agent", "script")
	board := c.complete(d)
	checkVoyage(t, c, d, board, jobs)
	if board.Verify.Commit != c.git(d.Workspace(), "rev-parse", "HEAD") {
		t.Error("what was verified is not the head of the branch")
	}
	conflicts := 0
	for _, s := range board.Ships {
		conflicts += s.Conflicts
	}
	if conflicts == 0 {
		t.Error("no conflict happened; the plan is meant to make some")
	}
	if branch := c.git(repo, "branch", "--list", "voyage-*"); branch != "" {
		t.Errorf("the captain's own repository was touched: %s", branch)
	}
}

// checkVoyage checks what every finished voyage promises: each task completed by one
// accepted claim, one commit per task that changed something, and workspace/ equal to
// the branch.
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

// smallPlan is a plan of quick tasks in rows that depend on the row before.
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

// TestNoRaces sails with the race detector in every process; newCaptain's end looks at
// what it found.
func TestNoRaces(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	c.takeWatched()
	jobs := smallPlan(2, 3, "true")
	d := c.sail(c.plan("races", "", smallVerify(6), jobs), "-n", "3", "--agent", "script")
	checkVoyage(t, c, d, c.complete(d), jobs)
	c.ocaptain("ship", "replace", "ship-1", "--force")
}
