package hook

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestTaskToolsAreJudged covers which calls of the task tools an agent may make, and what happens to the others.
func TestTaskToolsAreJudged(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t,
		tasks.Task{ID: "1", Subject: "free"},
		tasks.Task{ID: "2", Subject: "other's", Status: tasks.InProgress, Owner: "ship-1"},
		tasks.Task{ID: "3", Subject: "mine", Status: tasks.InProgress, Owner: "ship-0"},
		tasks.Task{ID: "4", Subject: "mine, given back", Status: tasks.InProgress, Owner: "ship-0"},
		tasks.Task{ID: "5", Subject: "done", Status: tasks.Completed, Owner: "ship-0"},
		tasks.Task{ID: "6", Subject: "in review", Status: tasks.InProgress, Owner: "coordinator-0"},
	)
	helm.HandedIn = map[string]bool{"6": true}
	helm.Connect(dir)
	for _, c := range []struct {
		name   string
		input  map[string]any
		allow  map[string]any // nil when the call is denied
		reason string
	}{
		{"claim", map[string]any{"taskId": "1", "status": "in_progress"}, map[string]any{"taskId": "1", "status": "in_progress", "owner": "ship-0"}, ""},
		{"claim again", map[string]any{"taskId": "1", "status": "in_progress", "owner": "ship-0"}, map[string]any{"taskId": "1", "status": "in_progress", "owner": "ship-0"}, ""},
		{"claim with edits", map[string]any{"taskId": "1", "status": "in_progress", "subject": "x", "activeForm": "y"}, map[string]any{"taskId": "1", "status": "in_progress", "owner": "ship-0"}, ""},
		{"claim for another", map[string]any{"taskId": "1", "status": "in_progress", "owner": "ship-9"}, nil, "only claim for yourself"},
		{"claim taken", map[string]any{"taskId": "2", "status": "in_progress"}, nil, "task 2 is owned by ship-1; ready: 7"},
		{"claim unknown", map[string]any{"taskId": "99", "status": "in_progress"}, nil, "there is no task 99"},
		{"complete own", map[string]any{"taskId": "3", "status": "completed", "metadata": map[string]any{"summary": "did it"}}, map[string]any{"taskId": "3", "status": "completed"}, ""},
		{"complete other's", map[string]any{"taskId": "2", "status": "completed"}, nil, "task 2 is owned by ship-1"},
		{"complete unknown", map[string]any{"taskId": "99", "status": "completed"}, nil, "there is no task 99"},
		{"complete again", map[string]any{"taskId": "6", "status": "completed"}, nil, "done that before: handed in task 6"},
		{"complete done", map[string]any{"taskId": "5", "status": "completed"}, nil, "done that before: completed task 5"},
		{"give back", map[string]any{"taskId": "4", "status": "pending"}, map[string]any{"taskId": "4", "status": "pending", "owner": ""}, ""},
		{"give back other's", map[string]any{"taskId": "2", "status": "pending"}, nil, "task 2 is owned by ship-1"},
		{"give back in review", map[string]any{"taskId": "6", "status": "pending"}, nil, "done that before: handed in task 6"},
		{"delete", map[string]any{"taskId": "3", "status": "deleted"}, nil, "not yours to delete"},
		{"edit", map[string]any{"taskId": "3", "description": "easier"}, nil, "noted as a proposal"},
		{"block", map[string]any{"taskId": "3", "addBlockedBy": []string{"1"}}, nil, "noted as a proposal"},
		{"owner only", map[string]any{"taskId": "3", "owner": "ship-0"}, nil, "set its status"},
		{"disown", map[string]any{"taskId": "2", "owner": ""}, nil, "set its status"},
		{"odd status", map[string]any{"taskId": "3", "status": "Completed"}, nil, "no status"},
	} {
		r := aboardtest.Fire(t, dir, agent.HookClaim, aboardtest.UpdateTask(c.input))
		word, reason, input := r.Decision(t)
		if c.allow != nil && (word != "allow" || r.Code != agent.Decided || !maps.Equal(input, c.allow)) {
			t.Errorf("%s: %s %q %v, code %d", c.name, word, reason, input, r.Code)
		}
		if c.allow == nil && (word != "deny" || !strings.Contains(reason, c.reason)) {
			t.Errorf("%s: %s %q", c.name, word, reason)
		}
	}
	r := aboardtest.Fire(t, dir, agent.HookClaim, map[string]any{"hook_event_name": "PreToolUse", "tool_name": "TaskCreate", "tool_input": map[string]any{"subject": "more"}})
	if word, reason, _ := r.Decision(t); word != "deny" || !strings.Contains(reason, "proposal") {
		t.Errorf("create: %s %q", word, reason)
	}
	eventually.Holds(t, "the proposals", func() bool { return len(aboardtest.Seen[proto.Proposal](helm, proto.KindProposal)) == 5 })
	if p := aboardtest.Seen[proto.Proposal](helm, proto.KindProposal); p[4].Text != "add a task: more" || p[1].Text != "delete task 3" {
		t.Errorf("proposals are %+v", p)
	}
}

// A key spelled in another way must not mean something else to the hook than to the tool.
func TestKeysAreExact(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t, tasks.Task{ID: "1"}, tasks.Task{ID: "2"})
	helm.Connect(dir)
	for _, input := range []string{
		`{"taskId":"1","status":"in_progress","Status":"pending"}`,
		`{"taskId":"1","TaskId":"2","status":"in_progress"}`,
		`{"taskId":"1","status":"in_progress","x":1}`,
		`{"status":"in_progress"}`,
		`{"taskId":1,"status":"in_progress"}`,
		`{"taskId":"1","status":["in_progress"]}`,
		`["1"]`,
		`null`,
	} {
		r := aboardtest.Fire(t, dir, agent.HookClaim, `{"hook_event_name":"PreToolUse","tool_name":"TaskUpdate","tool_input":`+input+`}`)
		if word, _, _ := r.Decision(t); word != "deny" || r.Code != 2 || r.Stderr == "" {
			t.Errorf("%s: %+v", input, r)
		}
	}
	if len(helm.Claimed) != 0 {
		t.Errorf("claimed %v", helm.Claimed)
	}
}

// A completion waits for the merge, hands the agent's summary to it, and is refused in helm's words when it fails.
func TestCompletion(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t, tasks.Task{ID: "3", Status: tasks.InProgress, Owner: "ship-0"})
	var asked []proto.CompleteRequest
	helm.Complete = func(r proto.CompleteRequest) error {
		asked = append(asked, r)
		if len(asked) == 1 {
			return &wire.Error{Code: proto.CodeConflict, Text: "conflict in a.txt.\nResolve it"}
		}
		return nil
	}
	helm.Connect(dir)
	aboardtest.Fire(t, dir, agent.HookClaim, aboardtest.UpdateTask(map[string]any{"taskId": "3", "status": "completed", "metadata": map[string]any{"summary": "Because."}}))
	done := map[string]any{"hook_event_name": "TaskCompleted", "task_id": "3", "task_subject": "x"}
	if r := aboardtest.Fire(t, dir, agent.HookDone, done); r.Code != 2 || r.Stderr != "conflict in a.txt.\nResolve it\n" || r.Out != "" {
		t.Errorf("veto is %+v", r)
	}
	if r := aboardtest.Fire(t, dir, agent.HookDone, done); r.Code != agent.Decided || r.Out != "" {
		t.Errorf("completion is %+v", r)
	}
	if len(asked) != 2 || asked[1] != (proto.CompleteRequest{Claim: proto.Claim{Task: "3"}, Summary: "Because."}) {
		t.Errorf("helm was asked %+v", asked)
	}
}

// At the end of a turn the hook waits for helm's answer, even if the connection is lost meanwhile.
func TestStopWaits(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t, tasks.Task{ID: "7"})
	end := helm.Connect(dir)
	answer := make(chan aboardtest.Reply, 1)
	go func() {
		answer <- fireWithin(t, 30e9, dir, agent.HookStop, map[string]any{"hook_event_name": "Stop", "last_assistant_message": "Nothing to do."})
	}()
	eventually.Holds(t, "idle", func() bool { return helm.States() == "idle" })
	if err := end(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
	helm.From = func(h proto.Hello) int64 { return h.End }
	helm.Connect(dir)
	select {
	case r := <-answer:
		t.Fatalf("it did not wait: %+v", r)
	default:
	}
	helm.Change(func() {
		helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActClaim, Ready: []string{"7", "9"}} }
	})
	r := <-answer
	var block struct{ Decision, Reason string }
	if err := json.Unmarshal([]byte(r.Out), &block); err != nil || r.Code != 0 || block.Decision != "block" ||
		block.Reason != "Task 7 is ready (also 9): claim it with TaskUpdate (status in_progress), then do it." {
		t.Errorf("answer is %+v (%v)", r, err)
	}

	helm.Change(func() { helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActRest} } })
	if r := aboardtest.Fire(t, dir, agent.HookStop, map[string]any{"hook_event_name": "Stop"}); r != (aboardtest.Reply{}) {
		t.Errorf("rest is %+v", r)
	}
	eventually.Holds(t, "rest", func() bool { return strings.HasSuffix(helm.States(), "resting") })
	if r := aboardtest.Fire(t, dir, agent.HookStop, map[string]any{"hook_event_name": "Stop", "agent_id": "sub"}); r != (aboardtest.Reply{}) {
		t.Errorf("a subagent's end is %+v", r)
	}
}

// The hook reports an empty prompt late, and takes the name for it only from a window that says that the agent works.
func TestPromptThatStaysEmpty(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	name := func(s proto.State) {
		t.Helper()
		if err := shipdir.WriteFile(shipdir.Dir(dir).Window(), "@1 "+shipdir.WindowName(s)+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	for state, follows := range map[proto.State]bool{
		proto.StateWorking: true, proto.StateStarting: true, proto.StateLimited: false, proto.StateFailed: false, proto.StateWaiting: false, proto.StateResting: false,
	} {
		if name(state); shipdir.WindowNamed(shipdir.Dir(dir), proto.StateWorking) != follows {
			t.Errorf("a window of a ship that is %s", state)
		}
	}
	if r := aboardtest.Fire(t, dir, agent.HookNotice, map[string]any{"notification_type": "idle_prompt"}); r != (aboardtest.Reply{}) {
		t.Errorf("the hook: %+v", r)
	}
	if got := aboardtest.JournalOf[proto.AgentState](t, dir, proto.KindAgentState); len(got) != 1 || got[0] != (proto.AgentState{State: proto.StateIdle, Late: true}) {
		t.Errorf("it reports %+v", got)
	}
}

// After a compaction the hook tells the agent again who it is, what it holds and the rules.
func TestCompactionRestates(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := aboardtest.NewHelm(t, tasks.Task{ID: "3", Status: tasks.InProgress, Owner: "ship-0"})
	helm.Connect(dir)
	for source, want := range map[string]bool{"startup": false, "compact": true, "resume": true} {
		r := aboardtest.Fire(t, dir, agent.HookSession, map[string]any{"hook_event_name": "SessionStart", "source": source, "session_id": "abc"})
		told := strings.Contains(r.Out, `"additionalContext":"You are ship-0, one of the ships of voyage voyage-1. You hold task 3`)
		if r.Code != 0 || told != want {
			t.Errorf("%s: %+v", source, r)
		}
	}
	if raw, err := os.ReadFile(shipdir.Dir(dir).Session()); err != nil || string(raw) != "abc\n" {
		t.Errorf("session is %q, %v", raw, err)
	}
}

// Events become states. They become log lines only if no transcript has them. Secrets and subagents never get into
// either.
func TestReports(t *testing.T) {
	asides := []string{
		"note: a subagent starts: Explore", "note: a subagent has ended: Explore",
		"note: the session is about to be compacted (auto)", "note: the compaction is done (auto)",
		"error: Bash rm -rf / was not permitted: too bold", "note: the model is now haiku (auto)",
	}
	for name, lines := range map[string][]string{
		"claude": append([]string{"prompt: Begin with [secret]."}, asides...),
		"script": append([]string{
			"prompt: Begin with [secret].", "tool: Read src/auth.go", "error: Bash false …: exit 1 …",
			"error: rate_limit: You've hit your weekly limit · resets in 5 hours", "error: billing_error", "error: unknown: API Error: 400 odd",
			"error: server_error",
		}, append(asides, "say: All done.")...),
	} {
		t.Run(name, func(t *testing.T) { testReports(t, name, lines) })
	}
}

func testReports(t *testing.T, name string, lines []string) {
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Agent = name })
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), map[string]string{"K": "sk-very-secret"}); err != nil {
		t.Fatal(err)
	}
	helm := aboardtest.NewHelm(t)
	helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActRest} }
	helm.Connect(dir)
	ws := dir + "/voyage/workspace/"
	for _, c := range []struct {
		word    string
		payload map[string]any
	}{
		{agent.HookSession, map[string]any{"source": "startup"}},
		{agent.HookPrompt, map[string]any{"prompt": "Begin with sk-very-secret."}},
		{agent.HookTool, map[string]any{"tool_name": "Read"}},
		{agent.HookUsed, map[string]any{"tool_name": "Read", "tool_input": map[string]any{"file_path": ws + "src/auth.go"}, "tool_response": strings.Repeat("x", 1<<20)}},
		{agent.HookBroke, map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "false\ntrue"}, "error": "exit 1\nmore"}},
		{agent.HookNotice, map[string]any{"notification_type": "permission_prompt", "message": "may I?"}},
		{agent.HookTool, map[string]any{"tool_name": "Grep", "agent_id": "sub"}},
		{agent.HookFailed, map[string]any{"error": "rate_limit", "last_assistant_message": "You've hit your weekly limit · resets in 5 hours"}},
		{agent.HookFailed, map[string]any{"error": "billing_error"}},
		{agent.HookFailed, map[string]any{"error": "unknown", "last_assistant_message": "API Error: 400 odd"}},
		{agent.HookFailed, map[string]any{"error": "server_error", "agent_id": "sub"}},
		{agent.HookHelper, map[string]any{"agent_type": "Explore", "agent_id": "sub"}},
		{agent.HookHelped, map[string]any{"agent_type": "Explore", "agent_id": "sub"}},
		{agent.HookHelped, map[string]any{"agent_type": "", "agent_id": "compaction"}},
		{agent.HookCompact, map[string]any{"trigger": "auto"}},
		{agent.HookShorter, map[string]any{"trigger": "auto"}},
		{agent.HookDenied, map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "rm -rf /"}, "reason": "too bold"}},
		{agent.HookModel, map[string]any{"to_model": "haiku", "source": "auto"}},
		{agent.HookStop, map[string]any{"last_assistant_message": "All done."}},
	} {
		if r := aboardtest.Fire(t, dir, c.word, c.payload); r != (aboardtest.Reply{}) {
			t.Errorf("%s: %+v", c.word, r)
		}
	}
	const want = "starting working working waiting limited waiting failed working working idle resting"
	eventually.Holds(t, "the states "+want, func() bool { return helm.States() == want })
	eventually.Holds(t, "the whole log", func() bool { return len(aboardtest.Seen[proto.Log](helm, proto.KindLog)) >= len(lines) })
	var text []string
	for _, l := range aboardtest.Seen[proto.Log](helm, proto.KindLog) {
		text = append(text, l.Kind+": "+l.Text)
	}
	if got := strings.Join(text, "\n"); got != strings.Join(lines, "\n") {
		t.Errorf("log is\n%s", got)
	}
	for i, want := range []proto.AgentState{
		{State: proto.StateLimited, Why: "weekly limit", Trouble: "usage"},
		{State: proto.StateWaiting, Why: "billing", Trouble: "person"},
		{State: proto.StateFailed, Why: "400 odd", Trouble: "turn"},
	} {
		got := aboardtest.Seen[proto.AgentState](helm, proto.KindAgentState)[4+i]
		if soon := time.Until(got.Until); i == 0 && (soon < 4*time.Hour || soon > 5*time.Hour) {
			t.Errorf("it passes at %s", got.Until)
		}
		if got.Until = (time.Time{}); got != want {
			t.Errorf("state %+v, want %+v", got, want)
		}
	}
}

var errTest = errors.New("test")

// A planner hands tasks in, so its TaskCreate is no proposal.
func TestPlannerCreates(t *testing.T) {
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Role = "planner" })
	helm := aboardtest.NewHelm(t)
	helm.Connect(dir)
	r := aboardtest.Fire(t, dir, agent.HookClaim, map[string]any{"hook_event_name": "PreToolUse", "tool_name": "TaskCreate", "tool_input": map[string]any{"subject": "more"}})
	if word, reason, _ := r.Decision(t); word != "deny" || !strings.Contains(reason, "`ocaptain task plan -`") {
		t.Errorf("create: %s %q", word, reason)
	}
	if got := aboardtest.JournalOf[proto.Proposal](t, dir, proto.KindProposal); len(got) != 0 {
		t.Errorf("it proposes %+v", got)
	}
}
