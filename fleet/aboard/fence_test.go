package aboard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

const takenBack = "Task 1 was taken back from you: requeued by the captain: wrong. Stop working on it"

func logged(h *fakeHelm, text string) (n int) {
	for _, l := range seen[proto.Log](h, proto.KindLog) {
		if strings.Contains(l.Text, text) {
			n++
		}
	}
	return n
}

// The real Claude Code that works on a task which the ship loses is interrupted, told why, and
// goes on with another one.
func TestRealClaudeLosesItsTask(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, claudetest.Worker)
	dir := realShip(t, api, map[string]string{"ANTHROPIC_API_KEY": testKey}, nil)
	helm := newHelm(t, job("1", "echo begun > begun; sleep 300"), job("2", "echo two > two"))
	helm.verdict = helm.untilDone
	helm.connect(dir)
	w := newWindow(t, dir)
	w.run()
	patient(t, "work", func() bool {
		_, err := os.Stat(filepath.Join(dir, "voyage", "workspace", "begun"))
		return err == nil
	})
	helm.takeBack("1", proto.Fate{Why: "requeued by the captain: wrong", Kept: "refs/ocaptain/parked/ship-0/x"})
	patient(t, "task 2", func() bool {
		helm.mu.Lock()
		defer helm.mu.Unlock()
		return helm.tasks["2"].Status == tasks.Completed
	})
	patient(t, "the message", func() bool {
		for _, m := range api.Sessions()[0].Last.Messages {
			for _, p := range m.Parts {
				if p.Type == "text" && strings.Contains(p.Text, takenBack) && strings.Contains(p.Text, "refs/ocaptain/parked/ship-0/x") {
					return true
				}
			}
		}
		return false
	})
	if exists(shipdir.Dir(dir).Lost()) || exists(shipdir.Dir(dir).Claim()) {
		t.Error("what is over is still on file")
	}
}

// While a ship's agent may not know that it has lost its task, no tool of its runs, but for those
// by which it finds another one.
func TestHooksTellOfALostTask(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := newHelm(t, task("1"), task("2"))
	helm.verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActClaim, Ready: []string{"2"}} }
	helm.connect(dir)
	claim := update(map[string]any{"taskId": "1", "status": "in_progress"})
	if word, reason, _ := fire(t, dir, agent.HookClaim, claim).decision(t); word != "allow" {
		t.Fatal(word, reason)
	}
	helm.takeBack("1", proto.Fate{Why: "requeued by the captain: wrong"})
	aboardtest.Await(t, "the loss", func() bool { return exists(shipdir.Dir(dir).Lost()) })
	use := func(tool string) reply {
		return fire(t, dir, agent.HookTool, map[string]any{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": tool})
	}
	if word, reason, _ := use("Bash").decision(t); word != "deny" || !strings.HasPrefix(reason, takenBack) {
		t.Errorf("a tool: %s, %s", word, reason)
	}
	if r := use("TaskList"); r.out != "" {
		t.Errorf("a look at the tasks: %s", r.out)
	}
	stop := fire(t, dir, agent.HookStop, map[string]any{"hook_event_name": "Stop", "session_id": "s1"})
	if !strings.Contains(stop.out, takenBack) || !strings.Contains(stop.out, "Task 2 is ready") {
		t.Errorf("at the end of the turn: %s", stop.out)
	}
	resume := fire(t, dir, agent.HookSession, map[string]any{"hook_event_name": "SessionStart", "session_id": "s1", "source": "resume"})
	if !strings.Contains(resume.out, takenBack) {
		t.Errorf("when it is taken up: %s", resume.out)
	}
	fire(t, dir, agent.HookPrompt, map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "hello"})
	if r := use("Bash"); r.out != "" {
		t.Errorf("when it was told: %s", r.out)
	}
	if n := logged(helm, takenBack); n != 1 {
		t.Errorf("logged %d times", n)
	}
}

// A claim is lost while nobody is connected; the next connection tells.
func TestTaskIsLostWhileAway(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	helm := newHelm(t, task("1"))
	end := helm.connect(dir)
	fire(t, dir, agent.HookClaim, update(map[string]any{"taskId": "1", "status": "in_progress"}))
	if err := end(); err != nil {
		t.Fatal(err)
	}
	again := helm.connect(dir)
	if exists(shipdir.Dir(dir).Lost()) || !exists(shipdir.Dir(dir).Claim()) {
		t.Error("a claim that stands is lost")
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
	helm.change(func() {
		lost := helm.tasks["1"]
		lost.Status, lost.Owner = tasks.Pending, ""
		helm.tasks["1"], helm.fates = lost, map[string]proto.Fate{"1": {Why: "nothing was heard of it"}}
	})
	helm.connect(dir)
	aboardtest.Await(t, "the loss", func() bool { return exists(shipdir.Dir(dir).Lost()) })
	var l shipdir.LostClaim
	if err := shipdir.ReadJSON(shipdir.Dir(dir).Lost(), &l); err != nil || l.Epoch != 1 || !strings.Contains(l.Text, "nothing was heard of it") {
		t.Errorf("lost: %+v, %v", l, err)
	}
}

// The command of the script agent is ended, which is no failure of the task.
func TestScriptLosesItsTask(t *testing.T) {
	dir := scriptShip(t)
	helm := newHelm(t, scripted1("1", "echo begun; sleep 300"), scripted1("2", "true"))
	helm.verdict = helm.untilDone
	helm.connect(dir)
	ended := make(chan error, 1)
	go func() { ended <- Script(t.Context(), dir, &strings.Builder{}) }()
	aboardtest.Await(t, "the command", func() bool { return logged(helm, "begun") == 1 })
	helm.takeBack("1", proto.Fate{Why: "requeued by the captain: wrong"})
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	helm.mu.Lock()
	defer helm.mu.Unlock()
	if helm.tasks["2"].Status != tasks.Completed || len(helm.releases) != 0 {
		t.Errorf("task 2 is %s; releases are %+v", helm.tasks["2"].Status, helm.releases)
	}
}

// The turn of an agent is ended, also of one that does not heed an interrupt, and the next one
// begins with the reason.
func TestTurnLosesItsTask(t *testing.T) {
	for _, heeds := range []string{"", "trap '' INT; "} {
		dir, r := ownTurns(t, heeds+`for prompt; do :; done
printf '%s\n' "$prompt" >>"$HOME/prompts"
case $prompt in *"taken back"*) ;; *) touch "$HOME/begun"; while :; do sleep 0.05; done ;; esac
`)
		helm := newHelm(t, task("1"))
		helm.verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActClaim, Ready: []string{"1"}} }
		helm.connect(dir)
		done := make(chan proto.AgentExited, 1)
		go func() { done <- r.takeTurns(t.Context()) }()
		aboardtest.Await(t, "the turn", func() bool { return exists(filepath.Join(dir, "begun")) })
		if err := ClaimTask(t.Context(), dir, "1", &strings.Builder{}); err != nil {
			t.Fatal(err)
		}
		helm.change(func() { helm.verdict = nil })
		helm.takeBack("1", proto.Fate{Why: "requeued by the captain: wrong"})
		aboardtest.Await(t, "the next turn", func() bool {
			raw, _ := os.ReadFile(filepath.Join(dir, "prompts"))
			return strings.Contains(string(raw), takenBack)
		})
		helm.change(func() { helm.verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActRest} } })
		if end := <-done; end.Reason != "it is done" {
			t.Errorf("it ended with %+v", end)
		}
		if slices.ContainsFunc(aboardtest.JournalOf[proto.AgentExited](t, dir, proto.KindAgentExited), func(e proto.AgentExited) bool { return !e.Final }) {
			t.Error("the turn that was ended counts as a failure")
		}
	}
}
