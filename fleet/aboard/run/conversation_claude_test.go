package run

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// Each task begins with a new conversation of the real Claude Code, except tasks of one group. A killed agent continues its own
// conversation. The list shows only what the ship may claim or has had.
func TestConversations(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	dir := aboardtest.NewShip(t, func(s *proto.Ship) {
		s.Prompt, s.Conversation = "You are ship-0 of voyage-1. Work on the tasks.", agent.PerGroup
		s.Env = map[string]string{"ANTHROPIC_BASE_URL": api.URL, "CLAUDE_CODE_MAX_RETRIES": "2", "PS1": "$ "}
	})
	bin := filepath.Join(dir, ".ocaptain", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(claudetest.Binary(t), filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), map[string]string{"ANTHROPIC_API_KEY": "sk-ant-test-0123456789-abcdefghij"}); err != nil {
		t.Fatal(err)
	}
	in := func(group string, one tasks.Task) tasks.Task {
		one.Metadata = map[string]any{"group": group}
		return one
	}
	second, third := in("g", job("2", "echo two >> log.txt")), job("3", "echo three >> log.txt")
	second.Blocks, third.BlockedBy = []string{"3"}, []string{"2"}
	old := job("9", "true")
	old.Status, old.Owner = tasks.Completed, "ship-1"
	helm := aboardtest.NewHelm(t, in("g", job("1", "echo one >> log.txt")), second, third, old)
	helm.Verdict = func() proto.Verdict {
		if v := helm.UntilDone(); v.Act != proto.ActRest {
			return v
		}
		return proto.Verdict{}
	}
	status := func(id string) tasks.Status {
		helm.Mu.Lock()
		defer helm.Mu.Unlock()
		return helm.Tasks[id].Status
	}
	helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "tasks 1 to 3", func() bool {
		return status("1") == tasks.Completed && status("2") == tasks.Completed && status("3") == tasks.Completed
	})
	starts := aboardtest.Seen[proto.AgentStarted](helm, proto.KindAgentStarted)
	if len(starts) != 2 || starts[0].Session == starts[1].Session || starts[1].Resumed {
		t.Errorf("starts are %+v", starts)
	}
	if n := len(aboardtest.Seen[proto.AgentExited](helm, proto.KindAgentExited)); n > 0 {
		t.Errorf("the end of a conversation is told as %d ends of the agent", n)
	}
	last := api.Sessions()[len(api.Sessions())-1].Last
	if p := strings.Join(last.Prompts(), "\n"); !strings.Contains(p, "this is a new conversation. In those before you had 1 (Job 1), 2 (Job 2).") || !strings.Contains(p, "Task 3 is ready") {
		t.Errorf("it is told\n%s", p)
	}
	for _, c := range last.Calls() {
		if c.Tool == "TaskList" && strings.Contains(c.Result, "#9 ") {
			t.Errorf("the list is\n%s", c.Result)
		}
	}

	// The agent is killed, and continues its conversation until it gets another task.
	eventually.Holds(t, "the transcript, which comes late", func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, ".claude", "projects", "*", starts[1].Session+".jsonl"))
		raw, _ := os.ReadFile(strings.Join(files, ""))
		return strings.Contains(string(raw), "I am told to end my turn.")
	})
	if err := w.Running().Agent.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	starts = nil
	eventually.Holds(t, "it is taken up again", func() bool {
		starts = aboardtest.Seen[proto.AgentStarted](helm, proto.KindAgentStarted)
		return len(starts) == 3
	})
	if !starts[2].Resumed || starts[2].Session != starts[1].Session {
		t.Errorf("starts are %+v", starts)
	}
	news := job("4", "echo four >> log.txt")
	if err := helm.Conn.Call(t.Context(), proto.MethodTasks, proto.TaskUpdate{Tasks: []tasks.Task{news}}, nil); err != nil {
		t.Fatal(err)
	}
	helm.Change(func() { helm.Tasks["4"] = news })
	eventually.Holds(t, "task 4", func() bool { return status("4") == tasks.Completed })
	if n := len(api.Sessions()); n != 3 {
		t.Errorf("%d sessions, want one for tasks 1 and 2, one for 3, one for 4", n)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "voyage", "workspace", "log.txt")); err != nil || string(raw) != "one\ntwo\nthree\nfour\n" {
		t.Errorf("log.txt is %q, %v", raw, err)
	}
	if r := aboardtest.Seen[proto.Tamper](helm, proto.KindTamper); len(r) != 0 {
		t.Errorf("what the agent was allowed to do counts as tampering: %+v", r)
	}
}
