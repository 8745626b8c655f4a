//go:build long

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/tasks/eventually"
)

// nightPlan returns sixteen tasks in rows, most of which wait for a whole row: agents end their turn often. The tasks
// of the third row change the same file, so that most of them conflict.
func nightPlan() []job {
	var jobs []job
	row := func(after []string, ids ...string) []string {
		for _, id := range ids {
			run := fmt.Sprintf("sleep 1; echo %s >part%s", id, id)
			if len(ids) == 4 {
				run = fmt.Sprintf("sleep 1; echo %s >>log\nRESOLVE: sed -i '/^[<=>|]\\{7\\}/d' log", id)
			}
			jobs = append(jobs, job{id: id, subject: "Build part " + id, run: run, after: after})
		}
		return ids
	}
	last := row(nil, "1")
	last = row(last, "2", "3", "4")
	last = row(last, "5", "6")
	last = row(last, "7", "8", "9", "10")
	last = row(last, "11")
	last = row(last, "12", "13", "14", "15")
	row(last, "16")
	return jobs
}

const nightVerify = "#!/bin/bash\nset -eu\ncd ~/voyage/workspace\ntest \"$(sort -n log | tr '\\n' ' ')\" = \"7 8 9 10 12 13 14 15 \"\nfor i in 1 2 3 4 5 6 11 16; do test \"$(cat part$i)\" = $i; done\n"

// TestOvernight leaves four ships with the real Claude Code alone with sixteen tasks, a usage limit, an overloaded
// service, an agent that is killed, a compaction, work that does not merge, a second claim, a deletion, and an agent
// that never stops talking. Nobody helps. The captain can read all of it while it lasts, and what the status says
// about the ships is true the whole time.
func TestOvernight(t *testing.T) {
	t.Parallel()
	n := newNight()
	api := claudetest.Start(t, n.brain)
	// The service reports the limits of a subscription to its users alone.
	env := append(claudeEnv(t, api)[1:], "CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-only-for-tests-0123456789")
	c := newCaptain(t, env...)
	jobs := nightPlan()
	plan := c.plan("overnight", "", nightVerify, jobs)
	for _, j := range jobs { // a worker reads a command where a model reads its task
		name := filepath.Join("overnight", "tasks", j.id+".json")
		raw, err := os.ReadFile(filepath.Join(c.home, name))
		if err != nil {
			t.Fatal(err)
		}
		c.write(name, strings.Replace(string(raw), "Run: ", "RUN: ", 1))
	}
	d := c.sail(plan, "-n", "4", "--agent", "claude", "--unconfined")
	truth := watchTruth(c, d, n)
	read := c.reader(d)

	held := c.until(d, "ship-1 at work", func(b fleet.Board) bool { return b.Ships[1].Task != "" })
	if pid := c.claudeOf(held.Ships[1].Machine.Name); pid == 0 || syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Fatalf("no agent to kill: process %d", pid)
	}
	c.until(d, "ship-2 to have worked", func(b fleet.Board) bool { return b.Ships[2].Completed > 0 })
	c.ocaptain("send", d.ID(), "ship-2", "--command", "/compact")
	c.until(d, "the compaction", func(fleet.Board) bool {
		raw, _ := os.ReadFile(d.LogFile("ship-2"))
		return strings.Contains(string(raw), "the compaction is done")
	})
	n.chat()
	c.ocaptain("send", d.ID(), "ship-2", "Say what comes to your mind.")

	board := c.complete(d)
	checkVoyage(t, c, d, board, jobs)
	// A ship that does not answer any more is unreachable, whatever its status was.
	is := func(word fleet.Word) func(fleet.Board) bool {
		return func(b fleet.Board) bool { return b.Ships[3].Status.Word == word }
	}
	c.until(d, "ship-3 at rest", is(fleet.Done))
	server := c.serverOf(board.Ships[3].Machine.Name)
	if server == 0 || syscall.Kill(server, syscall.SIGSTOP) != nil {
		t.Fatalf("no server to freeze: process %d", server)
	}
	c.until(d, "ship-3 is unreachable", is(fleet.Unreachable))
	_ = syscall.Kill(server, syscall.SIGCONT)
	c.until(d, "ship-3 is back", is(fleet.Done))
	c.until(d, "what is said of ship-2", func(b fleet.Board) bool {
		return strings.HasPrefix(b.Ships[2].Status.Reason, "without a task for ")
	})
	if missing := n.hadAll(); len(missing) > 0 {
		t.Errorf("these troubles did not come: %v", missing)
	}
	looks, lies := truth.end()
	t.Logf("%d samples", looks)
	for _, lie := range lies {
		t.Error(lie)
	}
	seen, logs := read()+c.ocaptain("status", d.ID()), c.ocaptain("logs", d.ID())
	for _, trouble := range []struct{ what, status, log string }{
		{"a usage limit", "limited", "limit"},
		{"an overloaded service", "overloaded", "overloaded"},
		{"a killed agent", "", "killed"}, // its status lasts for a second
		{"a compaction", "compact", "compact"},
		{"work that does not merge", "conflict", "conflict"},
		{"a second claim", "complete it first", "complete it first"},
		{"a deletion", "delete task 16", "delete task 16"},
		{"an agent that never stops", "without a task", "one more thing that comes to my mind"},
	} {
		if !strings.Contains(strings.ToLower(seen), trouble.status) {
			t.Errorf("status never told of %s: no %q in\n%s", trouble.what, trouble.status, seen)
		}
		if !strings.Contains(strings.ToLower(logs), trouble.log) {
			t.Errorf("the logs do not tell of %s: no %q", trouble.what, trouble.log)
		}
	}
	if t.Failed() {
		t.Logf("logs:\n%s", logs)
	}
}

// reader runs "ocaptain status" all the time. The returned function stops it, and returns every line that it ever
// printed, once.
func (c *captain) reader(d fleet.Dir) func() string {
	stop, done := make(chan struct{}), make(chan struct{})
	lines, all := map[string]bool{}, ""
	end := sync.OnceFunc(func() { close(stop); <-done })
	c.Cleanup(end) // also when the test fails before it has called end
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-eventually.Later(500 * time.Millisecond):
			}
			out, _ := c.try("status", d.ID())
			for line := range strings.Lines(out) {
				if !lines[line] {
					lines[line] = true
					all += line
				}
			}
		}
	}()
	return func() string {
		end()
		return all
	}
}
