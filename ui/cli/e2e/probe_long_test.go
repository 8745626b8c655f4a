//go:build long

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// TestCanaryProves sails with logins that do not work: the first ship finds out, the others are not even begun, and
// nothing is left. A trouble of the service that passes by itself prevents no voyage.
func TestCanaryProves(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		reply loopback.Reply
		want  string
		sails bool
	}{
		{"bad key", loopback.Fail(401, "authentication_error", "invalid x-api-key"), "probe failed: the login of claude is refused", false},
		{"no credit", loopback.Fail(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."), "add credit", false},
		{"limit", loopback.Fail(429, "rate_limit_error", "This request would exceed your limit"), "claude is at its usage limit", true},
		{"works", loopback.Say("aye"), "✓ ship-0   probe", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := claudetest.Start(t, loopback.Worker)
			var shown []string
			api.Toolless(func(r loopback.Request) loopback.Reply {
				lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
				for _, l := range lines {
					if raw, _ := os.ReadFile(l); bytes.Contains(raw, []byte(r.Key)) {
						shown = append(shown, string(raw))
					}
				}
				return tt.reply
			})
			c := newCaptain(t, claudeEnv(t, api)...)
			jobs := []job{{id: "1", subject: "Lay the keel", run: "true"}}
			plan := c.plan("proof", "", "#!/bin/bash\ntrue\n", jobs)
			out, code := c.try("sail", "--detach", plan, "-n", "3", "--agent", "claude")
			if !strings.Contains(out, tt.want) || strings.Contains(out, "only-for-tests") {
				t.Errorf("exit %d\n%s", code, out)
			}
			if len(shown) > 0 {
				t.Errorf("the key is in a command line: %q", shown)
			}
			if asked := api.Log(); len(asked) == 0 || len(asked) > 2 && !tt.sails {
				t.Errorf("the service was asked %d times", len(asked))
			}
			if !tt.sails {
				if !strings.Contains(out, "nothing of the voyage is left; mend the cause and do the same again") || strings.Contains(out, "ship replace") {
					t.Errorf("what is advised does not work:\n%s", out)
				}
				if code != 1 || len(c.voyages()) > 0 || strings.Contains(out, "ship-1 ") {
					t.Errorf("exit %d, voyages %v\n%s", code, c.voyages(), out)
				}
				return
			}
			if code != 0 || strings.Contains(out, "ship-1   probe") {
				t.Fatalf("exit %d\n%s", code, out)
			}
			if tt.name == "limit" {
				c.until(c.voyages()[0], "the note", func(b fleet.Board) bool {
					for _, n := range b.Notes {
						if strings.Contains(n.Text, tt.want) {
							return true
						}
					}
					return false
				})
			}
		})
	}
}
