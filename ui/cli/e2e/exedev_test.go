package e2e

import (
	"crypto/ed25519"
	"encoding/pem"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider/exedev/exedevtest"
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

// TestExedevUnreachable makes no machine while exe.dev does not answer, and does not call the token missing.
func TestExedevUnreachable(t *testing.T) {
	t.Parallel()
	c, fake, _ := atExe(t, exedevtest.Config{}, "EXE_TOKEN=TOKEN-HERE")
	fake.Down()
	out, code := c.try("sail", "--detach", c.plan("far", "", smallVerify(1), smallPlan(1, 1, "true")), "--provider", "exedev", "--agent", "script")
	if code != 1 || !strings.Contains(out, "connection refused") || !strings.Contains(out, "ssh exe.dev whoami must work") || len(c.voyages()) > 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// TestExedevRefused makes no machine when exe.dev refuses the captain's login.
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
