package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// A message begins a turn at once if the agent waits, and otherwise the next turn. Each message begins one turn, with
// the exact text, even if helm sends it again over a new connection.
func TestTurnsTakeMail(t *testing.T) {
	dir, r := ownTurns(t, `for prompt; do :; done
n=$(ls "$HOME" | grep -c ^prompt-)
printf %s "$prompt" >"$HOME/part" && mv "$HOME/part" "$HOME/prompt-$n"
case $prompt in *slowly*) while ! [ -e "$HOME/go" ]; do sleep 0.05; done ;; esac
`)
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
	end := helm.Connect(dir)
	done := beginTurns(t, r)
	eventually.Holds(t, "idle", func() bool { return strings.HasSuffix(helm.States(), "idle") })
	send := func(id, text string) (m proto.Mail) {
		t.Helper()
		if err := helm.Conn.Call(t.Context(), proto.MethodMail, mailbox.Message{ID: id, At: time.Now(), Text: text}, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	prompts := func() (all []string) {
		names, _ := filepath.Glob(filepath.Join(dir, "prompt-*"))
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(raw))
		}
		return all
	}
	texts := []string{"  /slowly, `$HOME` \"twice\"\n\t'quoted' {prompt} — ✓  ", "!second\nwith a line", "third"}
	send("message-0", texts[0])
	eventually.Holds(t, "the turn of the first", func() bool { return len(prompts()) == 1 })
	if m := send("message-1", texts[1]); m.State != proto.MailQueued {
		t.Errorf("while it works: %+v", m)
	}
	send("message-2", texts[2])
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	submitted := func() (ids []string) {
		for _, m := range aboardtest.Seen[proto.Mail](helm, proto.KindMail) {
			ids = append(ids, m.ID+" "+string(m.State))
		}
		return ids
	}
	eventually.Holds(t, "all messages", func() bool { return len(submitted()) == 3 })
	eventually.Holds(t, "idle again", func() bool { return strings.HasSuffix(helm.States(), "idle") })
	if got := strings.Join(submitted(), ", "); got != "message-0 submitted, message-1 submitted, message-2 submitted" {
		t.Errorf("told: %s", got)
	}

	if err := end(); err != nil {
		t.Error(err)
	}
	helm.Connect(dir)
	if m := send("message-1", texts[1]); m.State != proto.MailSubmitted {
		t.Errorf("brought again: %+v", m)
	}
	helm.Change(func() { helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActRest} } })
	if end := <-done; end.Reason != "it is done" {
		t.Errorf("it ended with %+v", end)
	}
	all := prompts()
	if len(all) != len(texts) {
		t.Fatalf("%d turns: %q", len(all), all)
	}
	for i, text := range texts {
		for j, prompt := range all {
			if n := strings.Count(prompt, "\n"+text+"\n"); i == j && n != 1 || i != j && n != 0 {
				t.Errorf("message %d is %d times in turn %d: %q", i, n, j, prompt)
			}
		}
	}
}

// A turn that a usage limit ended is reported as such, with the time when the limit ends.
func TestTurnsTellLimits(t *testing.T) {
	dir, r := ownTurns(t, "echo 'usage limit reached, resets in 2 hours'; exit 1")
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
	helm.Change(func() {
		helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActClaim, Ready: []string{"1"}} }
	})
	helm.Connect(dir)
	done := beginTurns(t, r)
	eventually.Holds(t, "the limit", func() bool { return strings.HasSuffix(helm.States(), "limited") })
	states := aboardtest.Seen[proto.AgentState](helm, proto.KindAgentState)
	last := states[len(states)-1]
	if wait := time.Until(last.Until); last.Trouble != "usage" || wait < 110*time.Minute || wait > 2*time.Hour || !strings.Contains(last.Why, "usage limit reached") {
		t.Errorf("it says %+v", last)
	}
	close(r.stop)
	if end := <-done; end.Reason != "it was stopped" {
		t.Errorf("it ended with %+v", end)
	}
}

// An agent that takes turns begins no turn after an interrupt until it gets a message, and then continues its session.
func TestInterruptedTurnWaits(t *testing.T) {
	dir, r := ownTurns(t, `for prompt; do :; done
printf '%s %s\n' "$1" "$prompt" >>"$HOME/prompts"
case $prompt in *"use tabs"*) ;; *) touch "$HOME/begun"; while :; do sleep 0.05; done ;; esac
`)
	helm := aboardtest.NewHelm(t, aboardtest.Task("1"))
	helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActClaim, Ready: []string{"1"}} }
	helm.Connect(dir)
	done := beginTurns(t, r)
	eventually.Holds(t, "the turn", func() bool { return aboardtest.Exists(filepath.Join(dir, "begun")) })
	var p proto.Paused
	eventually.Holds(t, "the interrupt", func() bool { // a turn that has just begun is not recorded yet
		return helm.Conn.Call(t.Context(), proto.MethodPause, struct{}{}, &p) == nil && p == proto.Paused{Was: true}
	})
	eventually.Holds(t, "it waits", func() bool { return strings.HasSuffix(helm.States(), "waiting") })
	helm.Change(func() { helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActRest} } })
	helm.Mail("message-0", "use tabs")
	if end := <-done; end.Reason != "it is done" {
		t.Errorf("it ended with %+v", end)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "prompts"))
	if err != nil {
		t.Fatal(err)
	}
	prompts := strings.SplitN(string(raw), "\nagain ", 3)
	if len(prompts) != 2 || !strings.Contains(prompts[1], "use tabs") {
		t.Errorf("it was told %q", prompts)
	}
	if aboardtest.Exists(shipdir.Dir(dir).Interrupted()) {
		t.Error("it is interrupted for ever")
	}
}
