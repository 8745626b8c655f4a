//go:build long

package e2e

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
)

// TestHelmIsKilled kills helm again and again. Nobody runs a command to help, and the voyage still completes and is
// verified.
func TestHelmIsKilled(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	jobs := smallPlan(6, 4, "sleep 0.3")
	d := c.sail(c.plan("killed", "", smallVerify(24), jobs), "-n", "3", "--agent", "script")
	over := make(chan struct{})
	var kills int
	go func() {
		defer close(over)
		for kills < 12 {
			time.Sleep(time.Duration(200+rand.IntN(900)) * time.Millisecond) // the moments are meant to be random
			b, err := fleet.LoadBoard(d)
			if err == nil && b.Phase == fleet.Complete {
				return
			}
			if err == nil && b.Helm > 1 {
				kill(b.Helm)
				kills++
			}
		}
	}()
	<-over
	board := c.complete(d)
	t.Logf("helm was killed %d times", kills)
	if kills < 3 {
		t.Errorf("only %d kills: the voyage was over too soon to prove anything", kills)
	}
	checkVoyage(t, c, d, board, jobs)
}

// TestShipIsKilled kills a whole ship in the middle: helm brings the ship back and the voyage completes.
func TestShipIsKilled(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	jobs := smallPlan(4, 3, "sleep 0.4")
	d := c.sail(c.plan("shipwreck", "", smallVerify(12), jobs), "-n", "2", "--agent", "script")
	c.until(d, "work under way", func(b fleet.Board) bool {
		_, working, completed := b.CountTasks()
		return working > 0 && completed > 0
	})
	var dead []string
	for _, p := range proctest.With(filepath.Join(c.hub.State, "ships", d.ID()+"-ship1")) {
		var pid int
		if _, err := fmt.Sscan(p, &pid); err == nil {
			kill(pid)
			dead = append(dead, p)
		}
	}
	if len(dead) == 0 {
		t.Fatal("found no process of ship-1")
	}
	checkVoyage(t, c, d, c.complete(d), jobs)
}

// bigRepo makes a repository of a few thousand files, as many open-source projects have.
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

// bigPlan returns 26 tasks: some touch files of their own, some touch the same lines and must conflict when they run
// at the same time, some change modes, links and removals.
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
	for i := range 8 { // they all append to the same place
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

// TestNoRaces sails with the race detector in every process; newCaptain's end looks at its reports.
func TestNoRaces(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	c.takeWatched()
	jobs := smallPlan(2, 3, "true")
	d := c.sail(c.plan("races", "", smallVerify(6), jobs), "-n", "3", "--agent", "script")
	checkVoyage(t, c, d, c.complete(d), jobs)
	c.ocaptain("ship", "replace", "ship-1", "--force")
}
