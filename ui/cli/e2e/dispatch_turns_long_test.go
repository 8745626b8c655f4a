//go:build long

package e2e

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
)

// TestDispatchSendWhileSetUp sends the captain's message while the worker's setup script runs for a dispatch: the end of the
// message's turn is not the end of the work.
func TestDispatchSendWhileSetUp(t *testing.T) {
	t.Parallel()
	p := newPooled(t, claudetest.Start(t, chatty(0, 6*time.Second)), 5)
	p.gives("DISPATCH second", "--detach")
	p.setsUp()
	p.ocaptain("send", "kite", "kite-1", "just chat with me")
	p.worked(p.allDone(2))
}

// TestDispatchCascade has more dispatches wait behind one during whose setup the captain chats: each gets its own work, and no
// other's.
func TestDispatchCascade(t *testing.T) {
	t.Parallel()
	p := newPooled(t, claudetest.Start(t, chatty(3*time.Second, 6*time.Second)), 5)
	for _, n := range []string{"second", "third", "fourth"} {
		p.gives("DISPATCH "+n, "--detach")
	}
	p.setsUp()
	p.ocaptain("send", "kite", "kite-1", "just chat with me")
	all := p.allDone(4)
	for i, name := range []string{"first", "second", "third", "fourth"} {
		if files := p.git(p.dir.Workspace(), "diff", "--name-only", all[i].Base, all[i].Commit); files != name {
			t.Errorf("dispatch %d (%s) is done with the files %q, said %q", i+1, all[i].Command, files, all[i].Said)
		}
	}
}

// TestDispatchRequeueWhileSetUp requeues a dispatch while the worker's setup script runs for it: the agent is told once that the dispatch was
// taken back.
func TestDispatchRequeueWhileSetUp(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, chatty(0, 0))
	p := newPooled(t, api, 5)
	p.gives("DISPATCH second", "--detach")
	p.setsUp()
	p.ocaptain("requeue", "2", "--voyage", "kite")
	p.allDone(2)
	p.gives("DISPATCH last", "--wait") // the agent has read all earlier messages when it reads this one
	n := 0
	for _, s := range api.Sessions() {
		for _, said := range s.Last.Prompts() {
			if strings.HasPrefix(said, "DISPATCH second") {
				n++
			}
		}
	}
	if n != 1 {
		t.Errorf("the agent was told %d times", n)
	}
}

// TestDispatchSendWhileBusy sends messages before and after waiting dispatches.
func TestDispatchSendWhileBusy(t *testing.T) {
	t.Parallel()
	p := newPooled(t, claudetest.Start(t, chatty(0, 3*time.Second)), 0)
	p.try("send", "kite", "kite-1", "chat one")
	p.gives("DISPATCH second", "--detach")
	p.gives("DISPATCH third", "--detach")
	p.try("send", "kite", "kite-1", "chat two")
	p.worked(p.allDone(3))
}

// TestDispatchRequeue requeues a dispatch while its message waits behind a turn of the captain's.
func TestDispatchRequeue(t *testing.T) {
	t.Parallel()
	p := newPooled(t, claudetest.Start(t, chatty(0, 8*time.Second)), 4)
	p.gives("DISPATCH second", "--detach")
	p.setsUp()
	p.ocaptain("send", "kite", "kite-1", "chat one") // the turn of this message lasts until after the setup
	p.until(p.dir, "the message waits", func(b fleet.Board) bool {
		return strings.Contains(b.Ships[0].QueuedWhy, "in the middle of another turn")
	})
	p.ocaptain("requeue", "2", "--voyage", "kite")
	p.worked(p.allDone(2))
}
