//go:build long

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/tokens"
	"ocaptain/tasks/eventually"
)

// TestExedevByToken sails through the gateway with a token, which appears nowhere.
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

// TestExedev sails a whole voyage at exe.dev: an answer is lost, a machine stops, helm is killed, and at the end no
// machine is left.
func TestExedev(t *testing.T) {
	t.Parallel()
	c, fake, _ := atExe(t, exedevtest.Config{Latency: 20 * time.Millisecond, Boot: 300 * time.Millisecond, Connects: 5})
	fake.Misbehave("new", exedevtest.Lost)
	if out := c.ocaptain("doctor", "--provider", "exedev", "--agent", "script"); !strings.Contains(out, "ada@example.org, with 0 machines") {
		t.Errorf("doctor says:\n%s", out)
	}
	jobs := smallPlan(5, 3, moored+"; sleep 0.4")
	d := c.sail(c.plan("exe", "", smallVerify(15), jobs), "-n", "3", "--provider", "exedev", "--agent", "script")
	if n := len(fake.Machines()); n != 3 {
		t.Errorf("%d machines for 3 ships", n)
	}
	c.rounds(d, func() []int { return pidsIn(proctest.With(fake.Root())) })
	name := ""
	for _, m := range fake.Machines() {
		if strings.Contains(m, "-ship1-") {
			name = m
		}
	}
	if err := fake.Stop(name); err != nil {
		t.Fatal(err)
	}
	kill(c.helm())
	board := c.complete(d)
	checkVoyage(t, c, d, board, jobs)
	c.until(d, "the machine that stopped is back", func(fleet.Board) bool {
		return slices.Contains(fake.Said(), "restart "+name)
	})
	for _, s := range board.Ships {
		if s.Provider != "exedev" {
			t.Errorf("%s is from %s", s.Name, s.Provider)
		}
	}
	c.ocaptain("sink", d.ID(), "-f")
	if left := fake.Machines(); len(left) > 0 {
		t.Errorf("left at exe.dev: %q", left)
	}
	eventually.Succeeds(t, "once it has looked again, nothing is left here", func() error {
		if left, _ := filepath.Glob(filepath.Join(c.hub.State, "exedev", "*.json")); len(left) > 0 {
			return fmt.Errorf("%q", left)
		}
		return nil
	})
}
