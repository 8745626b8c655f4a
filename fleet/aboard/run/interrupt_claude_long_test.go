//go:build long

package run

import (
	"strings"
	"sync/atomic"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// Claude Code counts as busy while its Stop hook waits for work. An agent that does nothing else is not interrupted,
// and still takes the next task.
func TestRealClaudeWaitsOn(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	dir := realShip(t, api, map[string]string{"ANTHROPIC_API_KEY": testKey}, nil)
	helm := aboardtest.NewHelm(t)
	var waits atomic.Bool
	helm.Verdict = func() proto.Verdict {
		waits.Store(true)
		for id, task := range helm.Tasks {
			if task.Status == tasks.Pending && task.Owner == "" {
				return proto.Verdict{Act: proto.ActClaim, Ready: []string{id}}
			}
		}
		return proto.Verdict{}
	}
	helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "a wait for work", waits.Load)
	claude, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "a program that is busy", func() bool { return claude.Box.Idle(dir, w.Running().Agent.PID).IsZero() })
	before := helm.States()
	var p proto.Paused
	if err := helm.Conn.Call(t.Context(), proto.MethodPause, struct{}{}, &p); err != nil || p != (proto.Paused{}) {
		t.Errorf("interrupted: %+v, %v", p, err)
	}
	news := job("1", "echo one >> log.txt")
	if err := helm.Conn.Call(t.Context(), proto.MethodTasks, proto.TaskUpdate{Tasks: []tasks.Task{news}}, nil); err != nil {
		t.Fatal(err)
	}
	helm.Change(func() { helm.Tasks["1"] = news })
	eventually.Holds(t, "the task", func() bool {
		helm.Mu.Lock()
		defer helm.Mu.Unlock()
		return helm.Tasks["1"].Status == tasks.Completed
	})
	if after := strings.TrimPrefix(helm.States(), before); strings.Contains(after, string(proto.StateWaiting)) {
		t.Errorf("after the interrupt it was%s", after)
	}
}
