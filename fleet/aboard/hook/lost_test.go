package hook

import (
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// While an agent may not know that its ship has lost the task, its tools are denied, except the tools that find another
// task.
func TestHooksTellOfALostTask(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"), aboardtest.Task("2"))
	helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActClaim, Ready: []string{"2"}} }
	helm.Connect(dir)
	claim := aboardtest.UpdateTask(map[string]any{"taskId": "1", "status": "in_progress"})
	if word, reason, _ := aboardtest.Fire(t, dir, agent.HookClaim, claim).Decision(t); word != "allow" {
		t.Fatal(word, reason)
	}
	helm.TakeBack("1", proto.Fate{Why: "requeued by the captain: wrong"})
	eventually.Holds(t, "the loss", func() bool { return aboardtest.Exists(shipdir.Dir(dir).Lost()) })
	use := func(tool string) aboardtest.Reply {
		return aboardtest.Fire(t, dir, agent.HookTool, map[string]any{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": tool})
	}
	if word, reason, _ := use("Bash").Decision(t); word != "deny" || !strings.HasPrefix(reason, aboardtest.TakenBack) {
		t.Errorf("a tool: %s, %s", word, reason)
	}
	if r := use("TaskList"); r.Out != "" {
		t.Errorf("a look at the tasks: %s", r.Out)
	}
	stop := aboardtest.Fire(t, dir, agent.HookStop, map[string]any{"hook_event_name": "Stop", "session_id": "s1"})
	if !strings.Contains(stop.Out, aboardtest.TakenBack) || !strings.Contains(stop.Out, "Task 2 is ready") {
		t.Errorf("at the end of the turn: %s", stop.Out)
	}
	resume := aboardtest.Fire(t, dir, agent.HookSession, map[string]any{"hook_event_name": "SessionStart", "session_id": "s1", "source": "resume"})
	if !strings.Contains(resume.Out, aboardtest.TakenBack) {
		t.Errorf("when it is taken up: %s", resume.Out)
	}
	aboardtest.Fire(t, dir, agent.HookPrompt, map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "hello"})
	if r := use("Bash"); r.Out != "" {
		t.Errorf("when it was told: %s", r.Out)
	}
	if n := helm.Logged(aboardtest.TakenBack); n != 1 {
		t.Errorf("logged %d times", n)
	}
}
