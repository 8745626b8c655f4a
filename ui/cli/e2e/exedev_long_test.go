//go:build long

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/proctest"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/tokens"
)

// TestExedevByToken sails behind the gateway with a token, which shows up nowhere.
func TestExedevByToken(t *testing.T) {
	t.Parallel()
	c, fake, token := atExe(t, exedevtest.Config{Gateway: true, Latency: 20 * time.Millisecond}, "EXE_TOKEN=TOKEN-HERE")
	fake.Misbehave("new", exedevtest.Unseen, exedevtest.Throttle)
	jobs := smallPlan(2, 2, "sleep 0.3")
	d := c.sail(c.plan("token", "", smallVerify(4), jobs), "-n", "2", "--provider", "exedev", "--agent", "script")
	var seen []byte
	for _, p := range proctest.With(c.home) {
		seen = append(seen, p...)
	}
	kill(c.helm())
	checkVoyage(t, c, d, c.complete(d), jobs)
	c.ocaptain("sink", d.ID(), "-f")
	if left := fake.Machines(); len(left) > 0 || fake.Logins() > 0 {
		t.Errorf("left at exe.dev: %q; %d logins by SSH", left, fake.Logins())
	}
	seen = append(seen, strings.Join(fake.Said(), "\n")...)
	err := filepath.Walk(c.home, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && path != tokens.StoreOf(c.hub).File("exedev") {
			raw, _ := os.ReadFile(path)
			if bytes.Contains(raw, []byte(token)) {
				t.Errorf("the token is in %s", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(seen, []byte(token)) {
		t.Error("the token is in a command line or an address")
	}
	if info, err := os.Stat(tokens.StoreOf(c.hub).File("exedev")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
}
