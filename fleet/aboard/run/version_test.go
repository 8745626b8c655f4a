package run

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// An agent that has updated itself to another version is not started again, and the ship reports why.
func TestAgentUpdatesItself(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	aboardtest.PutClaude(t, dir, "")
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), map[string]string{"ANTHROPIC_API_KEY": "sk-ant-0123456789-0123456789"}); err != nil {
		t.Fatal(err)
	}
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "the agent", func() bool { return w.Running().Agent.Alive() })
	program := filepath.Join(dir, ".ocaptain", "bin", "claude")
	raw, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte(strings.ReplaceAll(string(raw), packages.Claude, "2.1.999")), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := w.Running().Agent.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	final := func() (last proto.AgentExited) {
		for _, e := range aboardtest.JournalOf[proto.AgentExited](t, dir, proto.KindAgentExited) {
			last = e
		}
		return last
	}
	eventually.Holds(t, "the end", func() bool { return final().Final })
	if why := final().Reason; !strings.Contains(why, `claude is version "2.1.999", and ships get `+packages.Claude) {
		t.Errorf("the ship says %q", why)
	}
}
