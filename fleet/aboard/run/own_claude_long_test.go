//go:build long

package run

import (
	"os"
	"path/filepath"
	"strings"
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

// The captain's own wrapper around the real Claude Code, declared with hooks, claims, is refused and gets messages as
// Claude Code does.
func TestOwnClaude(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	dir := realShip(t, api, map[string]string{"ANTHROPIC_API_KEY": testKey}, nil)
	var s proto.Ship
	if err := shipdir.ReadJSON(shipdir.Dir(dir).Ship(), &s); err != nil {
		t.Fatal(err)
	}
	s.Agent, s.Custom = "mine", &agent.Custom{Name: "mine", Command: []string{"my-claude", "--ours={workspace}"}, Hooks: agent.HooksClaude}
	wrapper := "#!/bin/sh\n[ \"$1\" = \"--ours=" + s.Workspace + "\" ] || exit 9\nshift\nexec " + claudetest.Binary(t) + " \"$@\"\n"
	bin := filepath.Join(dir, ".ocaptain", "bin")
	if err := os.Remove(filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "my-claude"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Ship(), s); err != nil {
		t.Fatal(err)
	}
	helm := aboardtest.NewHelm(t, job("1", "echo stolen > one"), job("2", "echo two > two"))
	helm.Lag("1", "ship-1")
	helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "task 2", func() bool {
		helm.Mu.Lock()
		defer helm.Mu.Unlock()
		return helm.Tasks["2"].Status == tasks.Completed
	})
	if aboardtest.Exists(filepath.Join(s.Workspace, "one")) {
		t.Error("a claim that was denied had an effect")
	}
	eventually.Holds(t, "idleness", func() bool { return strings.HasSuffix(helm.States(), "idle") })
	id := helm.Mail("message-1", "RUN: echo aye > three\n\texactly")
	eventually.Holds(t, "the message", func() bool {
		return helm.Mailed(id).State == proto.MailSubmitted && aboardtest.Exists(filepath.Join(s.Workspace, "three"))
	})
}
