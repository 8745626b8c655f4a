//go:build long

package e2e

import (
	"net"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/fleet/tailnet/tailnettest"
)

// TestHostInTailnet sails on a host that is at an address of the tailnet and reached nowhere else: through the laptop's
// tailscaled, as this machine's own network leads to no such address.
func TestHostInTailnet(t *testing.T) {
	t.Parallel()
	lab := tailnettest.Start(t, "")
	laptop, quay := lab.Join(t, "laptop"), lab.Join(t, "quay")
	c := newCaptain(t, append(canaries(), "OCAPTAIN_TAILSCALE_SOCKET="+laptop.Daemon.Socket)...)
	c.scan.agentsGet()
	owner := hoststest.NewCaptain(c, c.home)
	c.scan.addKey("the captain's key to the hosts", owner.Key)
	host := owner.Start("loopback", nil)
	_, port, err := net.SplitHostPort(host.Addr)
	if err != nil {
		t.Fatal(err)
	}
	ip := quay.Six()
	addr := net.JoinHostPort(ip, port)
	if conn, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
		conn.Close()
		t.Fatalf("%s is reached without the tailnet", addr)
	}
	owner.Knows(addr, host.Key)
	owner.Configure("Host quay\n  HostName " + ip + "\n  Port " + port + "\n  IdentityFile " + owner.Key + "\n  UserKnownHostsFile " + c.home + "/.ssh/known_hosts\n  ProxyCommand " + c.program + " nc %h %p\n")
	c.write(".config/ocaptain/config.yaml", "provider: hosts\nhosts:\n  - quay\n")
	c.scan.also(host.Home)
	if out := c.ocaptain("doctor", "--agent", "script"); !strings.Contains(out, "✓ host quay") {
		t.Errorf("doctor says:\n%s", out)
	}
	jobs := smallPlan(3, 2, moored)
	d := c.sail(c.plan("afar", "", smallVerify(6), jobs), "-n", "2", "--agent", "script", "--provider", "hosts")
	c.rounds(d, host.Aboard)
	kill(c.helm())
	checkVoyage(t, c, d, c.complete(d), jobs)
	c.ocaptain("sink", d.ID(), "-f")
	c.cleared(host)
}
