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
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// When the ship loses the task, the runner ends the agent's turn, even if the agent ignores an interrupt. The next
// turn begins with the reason.
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

// The ship may notice the loss while a turn is about to begin, when there is no agent to stop. The turn is ended all
// the same.
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
