package e2e

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
)

// chatty does what it is told: a message "do X" writes file X and says "X is done"; any other says "heard".
func chatty(slow time.Duration) claudetest.Brain {
	return func(r claudetest.Request) claudetest.Reply {
		for _, p := range r.Fresh() {
			if p.Type == "tool_result" {
				return claudetest.Say("the work is done")
			}
		}
		all := r.Prompts()
		last := ""
		if len(all) > 0 {
			last = all[len(all)-1]
		}
		if i := strings.LastIndex(last, "DISPATCH "); i >= 0 {
			f := strings.Fields(last[i:])[1]
			return claudetest.Use("Bash", map[string]any{"command": "echo x >>" + f, "description": "Do it"})
		}
		if slow > 0 {
			time.Sleep(slow)
		}
		return claudetest.Say("chat only")
	}
}

// TestDispatchSendWhileSetUp sends a message of the captain's while the worker's setup script runs for a dispatch.
func TestDispatchSendWhileSetUp(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, chatty(6*time.Second))
	c := newCaptain(t, claudeEnv(t, api)...)
	c.write("kite/scripts/dev-setup.sh", "#!/bin/sh\nsleep 4\n")
	repo := c.freshRepository("kite")
	c.ocaptain("dispatch", "--repo", repo, "--command", "DISPATCH first", "--wait")
	c.write("kite/scripts/dev-setup.sh", "#!/bin/sh\nsleep 5\n")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "newer")
	time.Sleep(3 * time.Second)
	c.ocaptain("dispatch", "--repo", repo, "--command", "DISPATCH second", "--detach")
	time.Sleep(time.Second)
	out, code := c.try("send", "kite", "kite-1", "just chat with me")
	t.Log(out, code)
	d := c.voyages()[0]
	c.until(d, "both done", time.Minute, func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n == 2 })
	for _, r := range c.history("kite") {
		t.Logf("%+v", r)
	}
	r := c.history("kite")[1]
	if r.Said != "the work is done" || r.Changed != 1 {
		t.Errorf("second: %+v", r)
	}
}

// TestDispatchSendWhileBusy sends a message while the agent works on a dispatch, with another queued.
func TestDispatchSendWhileBusy(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, chatty(3*time.Second))
	c := newCaptain(t, claudeEnv(t, api)...)
	repo := c.freshRepository("kite")
	c.ocaptain("dispatch", "--repo", repo, "--max", "1", "--command", "DISPATCH first", "--wait")
	time.Sleep(2 * time.Second)
	// a chat turn runs; two dispatches are put in the queue meanwhile, and requeued
	c.try("send", "kite", "kite-1", "chat one")
	c.ocaptain("dispatch", "--repo", repo, "--max", "1", "--command", "DISPATCH second", "--detach")
	c.ocaptain("dispatch", "--repo", repo, "--max", "1", "--command", "DISPATCH third", "--detach")
	c.try("send", "kite", "kite-1", "chat two")
	d := c.voyages()[0]
	c.until(d, "all done", 90*time.Second, func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n == 3 })
	for i, r := range c.history("kite") {
		t.Logf("%+v", r)
		if r.Said != "the work is done" || r.Changed != 1 {
			t.Errorf("%d: %+v", i+1, r)
		}
	}
}

// TestDispatchRequeue takes a dispatch back while its message waits behind a turn of the captain's.
func TestDispatchRequeue(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, chatty(8*time.Second))
	c := newCaptain(t, claudeEnv(t, api)...)
	c.write("kite/scripts/dev-setup.sh", "#!/bin/sh\nsleep 3\n")
	repo := c.freshRepository("kite")
	c.ocaptain("dispatch", "--repo", repo, "--max", "1", "--command", "DISPATCH first", "--wait")
	c.write("kite/scripts/dev-setup.sh", "#!/bin/sh\nsleep 4\n")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "newer")
	time.Sleep(2 * time.Second)
	c.ocaptain("dispatch", "--repo", repo, "--max", "1", "--command", "DISPATCH second", "--detach")
	time.Sleep(time.Second)
	c.try("send", "kite", "kite-1", "chat one") // its turn lasts until after the setup: the message waits
	time.Sleep(5 * time.Second)
	t.Log(c.try("pool", "status", "kite"))
	t.Log(c.try("requeue", "2", "--voyage", "kite"))
	d := c.voyages()[0]
	c.until(d, "all done", 90*time.Second, func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n == 2 })
	time.Sleep(5 * time.Second)
	n := 0
	for _, s := range api.Sessions() {
		for _, p := range s.Last.Prompts() {
			t.Logf("prompt: %.200q", p)
		}
		for _, m := range s.Last.Messages {
			for _, p := range m.Parts {
				if p.Type == "tool_use" {
					n++
				}
			}
		}
	}
	for i, r := range c.history("kite") {
		t.Logf("%+v", r)
		if r.Said != "the work is done" || r.Changed != 1 || r.Added != 1 {
			t.Errorf("%d: %+v", i+1, r)
		}
	}
	t.Logf("tools used %d times", n)
}

// TestDispatchCascade is TestDispatchSendWhileSetUp with a third dispatch that waits: each gets the work of the one before.
func TestDispatchCascade(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, func(r claudetest.Request) claudetest.Reply {
		for _, p := range r.Fresh() {
			if p.Type == "tool_result" {
				return claudetest.Say("the work is done")
			}
		}
		all := r.Prompts()
		last := all[len(all)-1]
		if i := strings.LastIndex(last, "DISPATCH "); i >= 0 {
			f := strings.Fields(last[i:])[1]
			return claudetest.Use("Bash", map[string]any{"command": "sleep 3; echo x >>" + f, "description": "Do it"})
		}
		time.Sleep(6 * time.Second)
		return claudetest.Say("chat only")
	})
	c := newCaptain(t, claudeEnv(t, api)...)
	c.write("kite/scripts/dev-setup.sh", "#!/bin/sh\nsleep 1\n")
	repo := c.freshRepository("kite")
	c.ocaptain("dispatch", "--repo", repo, "--max", "1", "--command", "DISPATCH first", "--wait")
	c.write("kite/scripts/dev-setup.sh", "#!/bin/sh\nsleep 5\n")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "newer")
	time.Sleep(3 * time.Second)
	for _, n := range []string{"second", "third", "fourth"} {
		c.ocaptain("dispatch", "--repo", repo, "--max", "1", "--command", "DISPATCH "+n, "--detach")
	}
	c.try("send", "kite", "kite-1", "just chat with me")
	d := c.voyages()[0]
	c.until(d, "all done", 90*time.Second, func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n == 4 })
	time.Sleep(8 * time.Second)
	for i, name := range []string{"first", "second", "third", "fourth"} {
		r := c.history("kite")[i]
		if files := c.git(d.Workspace(), "diff", "--name-only", r.Base, r.Commit); files != name {
			t.Errorf("dispatch %d (%s) is done with the files %q, said %q", i+1, r.Command, files, r.Said)
		}
	}
}

// TestDispatchRequeueWhileSetUp takes a dispatch back while the worker's setup script runs for it.
func TestDispatchRequeueWhileSetUp(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, chatty(0))
	c := newCaptain(t, claudeEnv(t, api)...)
	c.write("kite/scripts/dev-setup.sh", "#!/bin/sh\nsleep 1\n")
	repo := c.freshRepository("kite")
	c.ocaptain("dispatch", "--repo", repo, "--max", "1", "--command", "DISPATCH first", "--wait")
	c.write("kite/scripts/dev-setup.sh", "#!/bin/sh\nsleep 5\n")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "newer")
	time.Sleep(3 * time.Second)
	c.ocaptain("dispatch", "--repo", repo, "--max", "1", "--command", "DISPATCH second", "--detach")
	time.Sleep(1500 * time.Millisecond)
	t.Log(c.try("requeue", "2", "--voyage", "kite"))
	d := c.voyages()[0]
	c.until(d, "all done", 90*time.Second, func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n == 2 })
	time.Sleep(10 * time.Second)
	n := 0
	for _, s := range api.Sessions() {
		for _, p := range s.Last.Prompts() {
			t.Logf("prompt: %.300q", p)
			if strings.HasPrefix(p, "DISPATCH second") {
				n++
			}
		}
	}
	if n != 1 {
		t.Errorf("the agent was told %d times", n)
	}
	for _, r := range c.history("kite") {
		t.Logf("%+v", r)
	}
}
