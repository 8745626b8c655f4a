package aboard

import (
	"strings"
	"sync/atomic"
	"testing"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/tasks"
)

// Claude Code calls itself busy while its Stop hook waits for work. An agent that does
// nothing else is not interrupted, and takes the next task by itself.
func TestRealClaudeWaitsOn(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, claudetest.Worker)
	dir := realShip(t, api, map[string]string{"ANTHROPIC_API_KEY": testKey}, nil)
	helm := newHelm(t)
	var waits atomic.Bool
	helm.verdict = func() Verdict {
		waits.Store(true)
		for id, task := range helm.tasks {
			if task.Status == tasks.Pending && task.Owner == "" {
				return Verdict{Act: ActClaim, Ready: []string{id}}
			}
		}
		return Verdict{}
	}
	helm.connect(dir)
	w := newWindow(t, dir)
	w.run()
	patient(t, "a wait for work", waits.Load)
	claude, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	patient(t, "a program that is busy", func() bool { return claude.Box.Idle(dir, w.state().Agent.PID).IsZero() })
	before := helm.states()
	var p Paused
	if err := helm.conn.Call(t.Context(), MethodPause, struct{}{}, &p); err != nil || p != (Paused{}) {
		t.Errorf("interrupted: %+v, %v", p, err)
	}
	news := job("1", "echo one >> log.txt")
	if err := helm.conn.Call(t.Context(), MethodTasks, TaskUpdate{Tasks: []tasks.Task{news}}, nil); err != nil {
		t.Fatal(err)
	}
	helm.change(func() { helm.tasks["1"] = news })
	patient(t, "the task", func() bool {
		helm.mu.Lock()
		defer helm.mu.Unlock()
		return helm.tasks["1"].Status == tasks.Completed
	})
	if after := strings.TrimPrefix(helm.states(), before); strings.Contains(after, string(StateWaiting)) {
		t.Errorf("after the interrupt it was%s", after)
	}
}
