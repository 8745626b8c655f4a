//go:build long

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// TestMessages steers a real agent: the captain interrupts it in the middle of its task and it waits, goes on after a
// message, and gets messages that were sent while helm or the agent was dead, once and in order.
func TestMessages(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, claudeEnv(t, api)...)
	plan := c.plan("mail", "", "#!/bin/bash\n", []job{{id: "1", subject: "Take long", run: "until [ -e go ]; do sleep 0.3; done; echo done >one"}})
	raw, err := os.ReadFile(filepath.Join(c.home, "mail", "tasks", "1.json"))
	if err != nil {
		t.Fatal(err)
	}
	c.write("mail/tasks/1.json", strings.Replace(string(raw), "Run: ", "RUN: ", 1))
	d := c.sail(plan, "-n", "1", "--agent", "claude")
	ship := func(b fleet.Board) fleet.ShipView { return b.Ships[0] }
	c.until(d, "the long command", func(b fleet.Board) bool {
		return ship(b).Status.Word == fleet.Working && ship(b).State.Tool == "Bash"
	})
	if out := c.ocaptain("interrupt", "ship-0"); !strings.Contains(out, "ship-0: interrupted") {
		t.Errorf("interrupt said %q", out)
	}
	c.until(d, "an agent that waits", func(b fleet.Board) bool {
		return ship(b).Status.Word == fleet.Waiting && strings.HasPrefix(ship(b).Status.Reason, "interrupted")
	})
	if out := c.ocaptain("interrupt", d.ID(), "0"); !strings.Contains(out, "was not working") {
		t.Errorf("a second interrupt said %q", out)
	}

	text := "  /not a command\n`$HOME` 'quoted' \"twice\" — ✓  "
	if out := c.ocaptain("send", d.ID(), "ship-0", text); !strings.Contains(out, "ship-0: submitted") {
		t.Errorf("send said %q", out)
	}
	c.until(d, "an agent that goes on", func(b fleet.Board) bool { return ship(b).Status.Word == fleet.Working })

	if err := syscall.Kill(c.helm(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.write("two.txt", "!second\n\ttabbed\n")
	if out := c.ocaptain("send", "--all", "-f", "two.txt", "--wait", "60s"); !strings.Contains(out, "ship-0: submitted") {
		t.Errorf("send after helm was killed said %q", out)
	}
	if out, code := c.try("send", "--role", "validator", "hello"); code != 3 {
		t.Errorf("send to nobody: %d, %q", code, out)
	}
	if out, code := c.try("send", "ship-0", "two", "words"); code != 2 || !strings.Contains(out, "quotes") {
		t.Errorf("send without quotes: %d, %q", code, out)
	}
	// The agent's command ends, and the agent reads the messages that came meanwhile.
	b := c.until(d, "the ship", func(b fleet.Board) bool { return len(b.Ships) == 1 })
	work := filepath.Join(c.hub.State, "ships", ship(b).Machine.Name, "home", "voyage", "workspace")
	if err := os.WriteFile(filepath.Join(work, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	api.Await(t, "both messages, once, in order", func() bool {
		var all strings.Builder
		sessions := api.Sessions() // the first session is the probe's
		for _, m := range sessions[len(sessions)-1].Last.Messages {
			for _, p := range m.Parts {
				all.WriteString(p.Text + "\n")
			}
		}
		first, second := strings.Index(all.String(), text), strings.Index(all.String(), "!second\n")
		return first >= 0 && first < second && strings.Count(all.String(), text) == 1 && strings.Count(all.String(), "!second\n    tabbed") == 1
	})
}
