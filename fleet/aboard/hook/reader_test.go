package hook

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// TestNobodyHears kills an agent whose hook waits for work: the hook ends too.
func TestNobodyHears(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	hears, says, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hears.Close()
	cmd := exec.Command(os.Args[0], "aboard", "hook", agent.HookStop)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	cmd.Stdin, cmd.Stdout = strings.NewReader(`{"hook_event_name":"Stop","session_id":"s"}`), says
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = says.Close()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	journal := filepath.Join(dir, ".ocaptain", "journal.jsonl")
	eventually.Holds(t, "it waits", func() bool {
		raw, _ := os.ReadFile(journal)
		return strings.Contains(string(raw), `"`+string(proto.StateIdle)+`"`)
	})
	select {
	case err := <-ended:
		t.Fatalf("it does not wait: %v", err)
	case <-eventually.Later(1500 * time.Millisecond): // longer than the time between two polls
	}
	_ = hears.Close()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ends with %v", err)
		}
	case <-eventually.Context(t).Done():
		_ = cmd.Process.Kill()
		t.Fatal("it goes on waiting")
	}
	if raw, _ := os.ReadFile(journal); strings.Contains(string(raw), "no longer waiting") {
		t.Errorf("it complains:\n%s", raw)
	}
}
