package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// ownTurns makes a ship whose agent is a shell script that takes turns, and returns its home and its runner.
func ownTurns(t *testing.T, script string) (string, *runner) {
	t.Helper()
	dir := aboardtest.NewShip(t, func(s *proto.Ship) {
		s.Agent = "mine"
		s.Custom = &agent.Custom{Name: "mine", Command: []string{"coder", "{prompt}"}, Resume: []string{"coder", "again", "{prompt}"}}
	})
	path := filepath.Join(dir, ".ocaptain", "bin", "coder")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := newRunner(shipdir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	r.tty.fd = -1
	r.rhythm.pauses = []time.Duration{1, 1, 1, 1}
	return dir, r
}

// beginTurns makes the agent take turns, and returns a channel that receives how they ended. The test waits for that.
func beginTurns(t *testing.T, r *runner) <-chan proto.AgentExited {
	done, over := make(chan proto.AgentExited, 1), make(chan struct{})
	go func() {
		defer close(over)
		done <- r.takeTurns(t.Context())
	}()
	t.Cleanup(func() { <-over })
	return done
}

// The ship knows that its runner is alive before the first turn, however late that begins.
func TestRunnerBeforeItsFirstTurn(t *testing.T) {
	dir, r := ownTurns(t, "exit 0")
	helm := aboardtest.NewHelm(t)
	var rests bool
	helm.Change(func() {
		helm.Verdict = func() proto.Verdict {
			if rests {
				return proto.Verdict{Act: proto.ActRest}
			}
			return proto.Verdict{}
		}
	})
	helm.Connect(dir)
	ended := beginTurns(t, r)
	eventually.Holds(t, "it is idle", func() bool { return helm.States() == "idle" })
	var is shipdir.Running
	if err := shipdir.ReadJSON(shipdir.Dir(dir).Run(), &is); err != nil || !is.Runner.Alive() {
		t.Errorf("it is known as %+v, %v", is, err)
	}
	helm.Change(func() { rests = true })
	<-ended
}

// Failed turns are repeated, and then given up with the agent's last words. Turns without progress are repeated only
// a few times. A refused key is reported at once.
func TestTurnsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		turns  int
		reason string
	}{
		"fails":   {"echo; echo its disk is full >&2; exit 7", 5, "its turns failed 5 times in a row, at last with exit code 7: its disk is full"},
		"no key":  {"echo '401 Unauthorized'; exit 1", 2, "mine has no key that is accepted (exit code 1: 401 Unauthorized)"},
		"talks":   {"echo hello", 4, "4 turns in a row claimed and completed nothing"},
		"missing": {"", 0, "coder is not installed on the ship"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, r := ownTurns(t, c.script)
			if name == "missing" {
				if err := os.Remove(filepath.Join(dir, ".ocaptain", "bin", "coder")); err != nil {
					t.Fatal(err)
				}
			}
			helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
			helm.Change(func() {
				helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActClaim, Ready: []string{"1"}} }
			})
			helm.Connect(dir)
			end := r.takeTurns(t.Context())
			if !end.Final || !strings.HasPrefix(end.Reason, c.reason) || end.FinalState() != proto.StateFailed {
				t.Errorf("it ended with %+v", end)
			}
			started := aboardtest.JournalOf[proto.AgentStarted](t, dir, proto.KindAgentStarted)
			if len(started) != c.turns {
				t.Errorf("%d turns", len(started))
			}
			for i, s := range started {
				// A session is resumed after a turn that ended well, and dropped after a failed turn.
				if want := name == "talks" && i > 0; s.Resumed != want {
					t.Errorf("start %d is %+v", i+1, s)
				}
			}
		})
	}
}

// An agent that has nothing to do ends well. An agent that waits ends when it is stopped.
func TestTurnsRest(t *testing.T) {
	dir, r := ownTurns(t, "echo hello")
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
	helm.Connect(dir)
	done := beginTurns(t, r)
	eventually.Holds(t, "idle", func() bool { return strings.HasSuffix(helm.States(), "idle") })
	helm.Change(func() {
		helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActRest, Why: "the voyage is complete"} }
	})
	if end := <-done; !end.Final || end.Code != 0 || end.Reason != "it is done" {
		t.Errorf("it ended with %+v", end)
	}

	helm.Change(func() { helm.Verdict = nil })
	done = beginTurns(t, r)
	eventually.Holds(t, "idle again", func() bool { return strings.HasSuffix(helm.States(), "resting idle") })
	close(r.stop)
	if end := <-done; !end.Final || end.Reason != "it was stopped" {
		t.Errorf("it ended with %+v", end)
	}
}
