package e2e

import (
	"crypto/ed25519"
	"encoding/pem"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/tasks/eventually"
)

// atExe gives the test a stand-in for exe.dev, and a captain with an account there.
func atExe(t *testing.T, config exedevtest.Config, env ...string) (*captain, *exedevtest.Fake, string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	config.Keys = []ssh.PublicKey{signer.PublicKey()}
	fake := exedevtest.Start(t, config)
	token := fake.Token("ls", "new", "rm", "restart", "ssh", "whoami", "ssh-key add")
	for i, kv := range env {
		env[i] = strings.ReplaceAll(kv, "TOKEN-HERE", token)
	}
	c := newCaptain(t, append(append(canaries("EXE_TOKEN"), env...), "OCAPTAIN_EXEDEV_URL="+fake.URL)...)
	c.scan.agentsGet()
	c.scan.also(fake.Root())
	t.Cleanup(func() {
		c.scan.files(false)
		c.scan.text("what exe.dev was asked", []byte(strings.Join(fake.Said(), "\n")))
	})
	fake.Knows(c.home, fake.Addr(), pem.EncodeToMemory(block))
	c.scan.addKey("the captain's own SSH key", filepath.Join(c.home, ".ssh", "id_ed25519"))
	return c, fake, token
}

// TestExedev sails a whole voyage at exe.dev: an answer is lost, a machine stops, helm is killed,
// and at the end nothing is left there.
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

// TestExedevUnreachable makes nothing where exe.dev cannot be asked, which is no token that is missing.
func TestExedevUnreachable(t *testing.T) {
	t.Parallel()
	c, fake, _ := atExe(t, exedevtest.Config{}, "EXE_TOKEN=TOKEN-HERE")
	fake.Down()
	out, code := c.try("sail", "--detach", c.plan("far", "", smallVerify(1), smallPlan(1, 1, "true")), "--provider", "exedev", "--agent", "script")
	if code != 1 || !strings.Contains(out, "connection refused") || !strings.Contains(out, "ocaptain doctor --provider exedev") || len(c.voyages()) > 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// TestExedevRefused makes nothing where exe.dev does not let the captain in.
func TestExedevRefused(t *testing.T) {
	t.Parallel()
	c, fake, _ := atExe(t, exedevtest.Config{}, "EXE_TOKEN=exe1.wrong")
	out, code := c.try("sail", "--detach", c.plan("refused", "", smallVerify(1), smallPlan(1, 1, "true")), "--provider", "exedev", "--agent", "script")
	if code != 6 || !strings.Contains(out, "EXE_TOKEN is not accepted") || strings.Contains(out, "exe1.wrong") || len(c.voyages()) > 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	if out, code := c.try("doctor", "--provider", "exedev", "--agent", "script"); code != 6 || !strings.Contains(out, "EXE_TOKEN is not accepted") {
		t.Errorf("doctor: exit %d\n%s", code, out)
	}
	if n := len(fake.Machines()); n > 0 {
		t.Errorf("%d machines", n)
	}
}
