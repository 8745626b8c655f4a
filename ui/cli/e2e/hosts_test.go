package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/provider/hosts/hoststest"
)

// ashore gives a captain two hosts: a host that an agent's key opens, and a host behind it. At the test's end it sinks all
// ships and checks that nothing of them is left there.
func (c *captain) ashore() []*hoststest.Host {
	c.Helper()
	owner := hoststest.NewCaptain(c, c.home)
	c.scan.addKey("the captain's key to the hosts", owner.Key)
	all := []*hoststest.Host{owner.Start("quay", nil), owner.Start("pier", []string{"ProxyJump quay"})}
	owner.Configure("Host *\n  IdentityAgent " + owner.Agent() + "\n")
	c.write(".config/ocaptain/config.yaml", "provider: hosts\nhosts:\n  - quay\n  - pier*2\n")
	for _, h := range all {
		c.scan.also(h.Home)
	}
	c.Cleanup(func() {
		if out, code := c.try("sink", "--all", "-f"); code != 0 && len(c.voyages()) > 0 {
			c.Errorf("sink: %s", out)
		}
		for _, h := range all {
			c.cleared(h)
		}
	})
	return all
}

// cleared fails the test when anything of ocaptain's is left on a host.
func (c *captain) cleared(h *hoststest.Host) {
	c.Helper()
	for _, command := range h.Processes("") {
		c.Errorf("left on %s: %s", h.Name, command)
	}
	if left, _ := filepath.Glob(filepath.Join(h.Home, ".local", "share", "*", "*")); len(left) > 0 {
		c.Errorf("left on %s: %s", h.Name, left)
	}
}

// TestHostThatIsDown: the error names the host that is down, before anything is made.
func TestHostThatIsDown(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	all := c.ashore()
	plan := c.plan("ashore", "", smallVerify(1), smallPlan(1, 1, "true"))
	all[1].Halt()
	out, code := c.try("sail", "--detach", plan, "-n", "2", "--agent", "script")
	if code == 0 || !strings.Contains(out, "host pier cannot be reached") || strings.Contains(out, "host quay cannot") {
		t.Errorf("exit %d: %s", code, out)
	}
	if len(c.voyages()) > 0 {
		t.Error("a voyage was made")
	}
	out, code = c.try("doctor", "--agent", "script")
	if code == 0 || !strings.Contains(out, "✗ host pier") || !strings.Contains(out, "✓ host quay") {
		t.Errorf("exit %d: %s", code, out)
	}
}
