package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/task"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// The real Claude Code that works on a task which the ship loses is interrupted, told why, and
// goes on with another one.
func TestRealClaudeLosesItsTask(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	dir := realShip(t, api, map[string]string{"ANTHROPIC_API_KEY": testKey}, nil)
	helm := aboardtest.NewHelm(t, job("1", "echo begun > begun; sleep 300"), job("2", "echo two > two"))
	helm.Verdict = helm.UntilDone
	helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "work", func() bool {
		_, err := os.Stat(filepath.Join(dir, "voyage", "workspace", "begun"))
		return err == nil
	})
	helm.TakeBack("1", proto.Fate{Why: "requeued by the captain: wrong", Kept: "refs/ocaptain/parked/ship-0/x"})
	eventually.Holds(t, "task 2", func() bool {
		helm.Mu.Lock()
		defer helm.Mu.Unlock()
		return helm.Tasks["2"].Status == tasks.Completed
	})
	eventually.Holds(t, "the message", func() bool {
		for _, m := range api.Sessions()[0].Last.Messages {
			for _, p := range m.Parts {
				if p.Type == "text" && strings.Contains(p.Text, aboardtest.TakenBack) && strings.Contains(p.Text, "refs/ocaptain/parked/ship-0/x") {
					return true
				}
			}
		}
		return false
	})
	if aboardtest.Exists(shipdir.Dir(dir).Lost()) || aboardtest.Exists(shipdir.Dir(dir).Claim()) {
		t.Error("what is over is still on file")
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
		helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
		helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActClaim, Ready: []string{"1"}} }
		helm.Connect(dir)
		done := beginTurns(t, r)
		eventually.Holds(t, "the turn", func() bool { return aboardtest.Exists(filepath.Join(dir, "begun")) })
		if err := task.Claim(t.Context(), dir, "1", &strings.Builder{}); err != nil {
			t.Fatal(err)
		}
		helm.Change(func() { helm.Verdict = nil })
		helm.TakeBack("1", proto.Fate{Why: "requeued by the captain: wrong"})
		eventually.Holds(t, "the next turn", func() bool {
			raw, _ := os.ReadFile(filepath.Join(dir, "prompts"))
			return strings.Contains(string(raw), aboardtest.TakenBack)
		})
		helm.Change(func() { helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActRest} } })
		if end := <-done; end.Reason != "it is done" {
			t.Errorf("it ended with %+v", end)
		}
		if slices.ContainsFunc(aboardtest.JournalOf[proto.AgentExited](t, dir, proto.KindAgentExited), func(e proto.AgentExited) bool { return !e.Final }) {
			t.Error("the turn that was ended counts as a failure")
		}
	}
}

// A loss that is noticed while a turn is about to begin finds no agent to stop. The turn is ended all the same.
func TestTurnBeginsAsItsTaskIsLost(t *testing.T) {
	dir, r := ownTurns(t, "touch \"$HOME/begun\"; while :; do sleep 0.05; done\n")
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Lost(), shipdir.LostClaim{Claim: proto.Claim{Task: "1", Epoch: 1}, Text: "it was taken back"}); err != nil {
		t.Fatal(err)
	}
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
	asked := 0
	helm.Verdict = func() proto.Verdict {
		if asked++; asked == 1 {
			return proto.Verdict{Act: proto.ActContinue, Held: "1"}
		}
		return proto.Verdict{Act: proto.ActRest}
	}
	helm.Connect(dir)
	if end := <-beginTurns(t, r); end.Reason != "it is done" {
		t.Errorf("it ended with %+v", end)
	}
	if aboardtest.Exists(shipdir.Dir(dir).Lost()) {
		t.Error("the loss is still on file")
	}
}
