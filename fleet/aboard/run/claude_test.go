package run

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/task"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// job returns a task whose description tells the test's model which command to run.
func job(id, run string) tasks.Task {
	return tasks.Task{ID: id, Subject: "Job " + id, Description: "RUN: " + run, Status: tasks.Pending}
}

// TestRealClaude covers a whole life of the real Claude Code: it starts to work at once, claims and completes through
// the hooks whatever its workspace says, resolves a conflict, waits and is woken, gets messages, is killed, and
// continues its session.
func TestRealClaude(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	dir := aboardtest.NewShip(t, func(s *proto.Ship) {
		s.Prompt = "You are ship-0 of voyage-1. Work on the tasks."
		s.Env = map[string]string{
			"ANTHROPIC_BASE_URL": api.URL, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "2",
			"PS1": "$ ",
		}
	})
	work := filepath.Join(dir, "voyage", "workspace")
	bin := filepath.Join(dir, ".ocaptain", "bin")
	for path, text := range map[string]string{
		filepath.Join(work, ".claude", "settings.json"): `{"disableAllHooks":true,"env":{"CLAUDE_CODE_TASK_LIST_ID":"elsewhere","CLAUDE_CODE_ENABLE_TODO_TOOLS":"0"},
			"hooks":{"PreToolUse":[{"matcher":"TaskUpdate","hooks":[{"type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}'"}]}]}}`,
		filepath.Join(work, ".claude", "settings.local.json"): `{"disableAllHooks":true}`,
		filepath.Join(dir, "voyage", "prompt.md"):             "MARK-OF-THE-PROMPT",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(claudetest.Binary(t), filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), map[string]string{"ANTHROPIC_API_KEY": "sk-ant-test-0123456789-abcdefghij"}); err != nil {
		t.Fatal(err)
	}

	taken := job("1", "echo stolen >> log.txt")
	helm := aboardtest.NewHelm(t, taken, job("2", "echo two >> log.txt"), job("3", "echo three >> log.txt"))
	helm.Lag("1", "ship-1") // the list shows the task as free although another ship holds it
	vetoes := 0
	helm.Complete = func(proto.CompleteRequest) error {
		if vetoes++; vetoes == 1 {
			return &wire.Error{Code: proto.CodeConflict, Text: "conflict in log.txt"}
		}
		return nil
	}
	helm.Verdict = func() proto.Verdict {
		for id, task := range helm.Tasks {
			if task.Status == tasks.Pending && task.Owner == "" && !helm.Lags[id] {
				return proto.Verdict{Act: proto.ActClaim, Ready: []string{id}}
			}
		}
		return proto.Verdict{}
	}
	helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	file := func() string { raw, _ := os.ReadFile(filepath.Join(work, "log.txt")); return string(raw) }
	status := func(id string) tasks.Status {
		helm.Mu.Lock()
		defer helm.Mu.Unlock()
		return helm.Tasks[id].Status
	}
	eventually.Holds(t, "tasks 2 and 3", func() bool { return status("2") == tasks.Completed && status("3") == tasks.Completed })
	if strings.Contains(file(), "stolen") || !strings.Contains(file(), "two\n") || !strings.Contains(file(), "three\n") {
		t.Errorf("log.txt is %q", file())
	}
	eventually.Holds(t, "idleness", func() bool { return strings.HasSuffix(helm.States(), "idle") })
	eventually.Holds(t, "the window's name", func() bool { return w.Name() == "agent:waiting" })
	told := ""
	for _, c := range api.Sessions()[0].Last.Calls() {
		if c.Tool == "TaskUpdate" {
			told += c.Result + "\n"
			mustBeTerse(t, c.Result)
		}
	}
	for _, want := range []string{"task 1 is owned by ship-1; ready: 7", "conflict in log.txt"} {
		if !strings.Contains(told, want) {
			t.Errorf("the agent was not told %q but\n%s", want, told)
		}
	}
	if got := strings.Join(api.Sessions()[0].Last.Tools, " "); got != "Agent Bash Edit Read Skill TaskCreate TaskGet TaskList TaskStop TaskUpdate WebFetch WebSearch Write" {
		t.Errorf("its tools are %s", got)
	}
	if sys := api.Sessions()[0].Last.System; !strings.Contains(sys, "MARK-OF-THE-PROMPT") {
		t.Error("the agent has not got the ship's prompt")
	}

	// A task becomes ready while the agent waits, and wakes it.
	news := job("4", "echo four >> log.txt")
	if err := helm.Conn.Call(t.Context(), proto.MethodTasks, proto.TaskUpdate{Tasks: []tasks.Task{news}}, nil); err != nil {
		t.Fatal(err)
	}
	helm.Change(func() { helm.Tasks["4"] = news })
	eventually.Holds(t, "task 4", func() bool { return status("4") == tasks.Completed })
	eventually.Holds(t, "idleness", func() bool { return strings.HasSuffix(helm.States(), "idle") })

	// A long message arrives while the agent waits.
	var said proto.Said
	message := "RUN: echo aye >> log.txt\n" + strings.Repeat("And note this, please: it is 'long' & has $signs.\n", 40)
	if err := helm.Conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: message}, &said); err != nil || !said.Heard {
		t.Errorf("said %+v, %v", said, err)
	}
	eventually.Holds(t, "the message", func() bool { return strings.Contains(file(), "aye\n") })

	// The agent is killed, and its session continues.
	eventually.Holds(t, "idleness", func() bool { return strings.HasSuffix(helm.States(), "idle") })
	if err := w.Running().Agent.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	news = job("5", "echo five >> log.txt")
	helm.Change(func() { helm.Tasks["5"] = news })
	if err := helm.Conn.Call(t.Context(), proto.MethodTasks, proto.TaskUpdate{Tasks: []tasks.Task{news}}, nil); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "task 5", func() bool { return status("5") == tasks.Completed })
	if s := aboardtest.Seen[proto.AgentStarted](helm, proto.KindAgentStarted); len(s) != 2 || !s[1].Resumed || s[0].Session != s[1].Session {
		t.Errorf("starts are %+v", s)
	}
	if n := len(api.Sessions()); n != 1 {
		t.Errorf("%d sessions, want one", n)
	}
	if _, err := os.Stat(filepath.Join(dir, ".claude", "tasks", "elsewhere")); err == nil {
		t.Error("the workspace moved the task list")
	}
	if r := aboardtest.Seen[proto.Tamper](helm, proto.KindTamper); len(r) != 0 {
		t.Errorf("what the agent was allowed to do counts as tampering: %+v", r)
	}
}

// mustBeTerse checks the length of a gate's refusal, since each refusal costs the agent tokens. Claude Code puts the
// hook's whole command line in front of it.
func mustBeTerse(t *testing.T, told string) {
	t.Helper()
	if lines := strings.Count(strings.TrimSpace(told), "\n"); lines > 1 || len(told) > 300 {
		t.Errorf("the agent is told %q", told)
	}
}

// However the hook itself fails, the real Claude Code takes that for a refusal. One Claude Code tries all tasks; at each, its hook fails
// in another way.
func TestRealClaudeWithBrokenHooks(t *testing.T) {
	t.Parallel()
	const yes = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"taskId":"%d","status":"in_progress"}}}`
	ways := []struct{ name, script string }{
		{"killed", "kill -9 $$"},
		{"fails", "exit 1"},
		{"garbage", "echo '{\"hookSpecificOutput\":'"},
		{"silent", "exit 0"},
		{"hangs", "kill -STOP $$"},
		{"fails after a yes", "echo '" + yes + "'; exit 1"},
		{"yes without a decision", "echo '" + yes + "'"},
		{"removes itself", `rm "$0"; exit 1`},
		{"missing", ""},
	}
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.List = "list" })
	work, hook, list := filepath.Join(dir, "voyage", "workspace"), filepath.Join(dir, "ocaptain"), shipdir.ListDir(dir, "list")
	if err := os.MkdirAll(list, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\ncase $3 in PreToolUse|TaskCompleted) ;; *) exit 0 ;; esac\ncase $(cat) in\n"
	for i, w := range ways {
		id := i + 1
		script += fmt.Sprintf("*'\"taskId\":\"%d\"'*) echo '%s' >>tried; %s ;;\n", id, w.name, strings.ReplaceAll(w.script, "%d", fmt.Sprint(id)))
		file := fmt.Sprintf(`{"id":"%d","subject":"%s","description":"RUN: echo done > log.txt","status":"pending","blocks":[],"blockedBy":[]}`, id, w.name)
		if err := os.WriteFile(filepath.Join(list, fmt.Sprintf("%d.json", id)), []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(hook, []byte(script+"esac\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	a, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	set := agent.Setup{Home: dir, Ocaptain: hook, List: "list", Workspace: work, Root: os.Geteuid() == 0}
	if err := a.Prepare(set); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(dir, ".ocaptain", "claude-settings.json")
	raw, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	hasty := strings.ReplaceAll(string(raw), "timeout -s KILL 110", "timeout -s KILL 1")
	if hasty == string(raw) {
		t.Fatal("nothing kills a gate that hangs")
	}
	if err := os.WriteFile(settings, []byte(hasty), 0o600); err != nil {
		t.Fatal(err)
	}
	api := claudetest.Start(t, loopback.Worker)
	cmd := exec.Command(claudetest.Binary(t), "-p", "--dangerously-skip-permissions", "--settings", settings, "Work.")
	cmd.Dir, cmd.Env = work, claudetest.Env(dir, api, "sk-ant-test-0123456789-abcdefghij")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("claude: %v\n%s", err, out)
	}
	tried := map[string]bool{}
	for _, c := range api.Sessions()[0].Last.Calls() {
		if c.Tool == "TaskUpdate" {
			tried[c.Arg("taskId")] = true
			if c.OK() {
				t.Errorf("%s was let through: %s", c.Input, c.Result)
			}
			mustBeTerse(t, c.Result)
		}
	}
	all, err := task.ReadList(dir)
	if err != nil || len(all) != len(ways) {
		t.Errorf("the list is %+v, %v", all, err)
	}
	for _, one := range all {
		if one.Status != tasks.Pending || one.Owner != "" || !tried[one.ID] {
			t.Errorf("%s: tried %t; the task is %+v", one.Subject, tried[one.ID], one)
		}
	}
	want := ""
	for _, w := range ways[:len(ways)-1] {
		want += w.name + "\n"
	}
	if raw, _ := os.ReadFile(filepath.Join(work, "tried")); string(raw) != want {
		t.Errorf("the hook failed as %q, not as %q", raw, want)
	}
}
