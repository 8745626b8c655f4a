//go:build long

package e2e

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/fleet/tailnet/tailnettest"
)

// TestHostInTailnet sails on a host that has only an address in the tailnet: helm reaches it through the laptop's
// tailscaled, as this machine's own network has no route there.
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

// TestVoyageOnHosts sails a whole voyage on the captain's hosts, one of which loses all its ships in the middle, as
// at a reboot.
func TestVoyageOnHosts(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, canaries()...)
	c.scan.agentsGet()
	all := c.ashore()
	if out := c.ocaptain("doctor", "--agent", "script"); !strings.Contains(out, "✓ host quay") || !strings.Contains(out, "✓ host pier") {
		t.Errorf("doctor says:\n%s", out)
	}
	jobs := smallPlan(4, 3, moored+"; sleep 0.4")
	d := c.sail(c.plan("ashore", "", smallVerify(12), jobs), "-n", "3", "--agent", "script", "--provider", "hosts")
	on := map[string]int{}
	for _, h := range all {
		ships, err := filepath.Glob(filepath.Join(h.Ships(), d.ID()+"-*"))
		if err != nil {
			t.Fatal(err)
		}
		on[h.Name] = len(ships)
	}
	if on["quay"] != 2 || on["pier"] != 1 {
		t.Errorf("ships are at %v", on)
	}
	c.rounds(d, func() []int { return slices.Concat(all[0].Aboard(), all[1].Aboard()) })
	c.until(d, "work under way", func(b fleet.Board) bool {
		_, working, completed := b.CountTasks()
		return working > 0 && completed > 0
	})
	all[1].Halt()
	all[1].Crash("")
	all[1].Boot()
	board := c.complete(d)
	checkVoyage(t, c, d, board, jobs)
	c.ocaptain("sink", d.ID(), "-f")
	for _, h := range all {
		c.cleared(h)
	}
	if left, _ := os.ReadDir(filepath.Join(c.hub.State, "hosts")); len(left) > 1 { // the locks
		t.Errorf("remembered after all: %v", left)
	}
}
