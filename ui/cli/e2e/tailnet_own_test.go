package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
	"ocaptain/fleet/tailnet/tailnettest"
)

// release builds ocaptain with a node of the tailnet in it, as releases are.
func release(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ocaptain")
	if out, err := exec.Command("go", "build", "-tags", "tsnet,ts_omit_peerapiserver", "-ldflags", "-s -w", "-o", path, "ocaptain").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// TestOwnNode sails in the tailnet from a machine without Tailscale: helm is a node by itself, also the one that
// comes back from a crash, and is none any more when the last ship is sunk.
func TestOwnNode(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	c, fake := l.exedev(t)
	c.setenv("OCAPTAIN_TAILSCALE_SOCKET", filepath.Join(t.TempDir(), "none"))
	for name, value := range tailnettest.Env {
		c.setenv(name, value)
	}
	c.program, c.node = release(t), true
	hubs := func() (hosts []string) {
		for _, d := range l.api.Devices() {
			if strings.HasPrefix(d.Host, "ocaptain-hub-") {
				hosts = append(hosts, d.Host)
			}
		}
		return hosts
	}

	jobs := smallPlan(5, 2, moored+"; sleep 1")
	d := c.sail(c.plan("far", "", smallVerify(10), jobs), "-n", "2", "--provider", "exedev", "--agent", "script")
	c.until(d, "both ships are reached over the tailnet", 3*time.Minute, bothOver)
	first := hubs()
	if len(first) != 1 {
		t.Errorf("helm is %q", first)
	}
	fake.Shut()
	entered := fake.Entered()
	kill(c.helm())
	c.until(d, "work goes on, by a node that joined anew", 3*time.Minute, func(b fleet.Board) bool {
		_, working, completed := b.Count()
		now := hubs()
		return working+completed > 0 && bothOver(b) && len(now) == 1 && now[0] != first[0]
	})
	c.rounds(d, func() []int { return pidsIn(proctest.With(fake.Root())) })
	c.talks(d, true)
	checkVoyage(t, c, d, c.complete(d, 3*time.Minute), jobs)
	if n := fake.Entered(); n != entered {
		t.Errorf("exe.dev carried %d connections to ships", n-entered)
	}
	c.ocaptain("sink", d.ID(), "-f")
	pid := c.helm()
	for end := time.Now().Add(20 * time.Second); len(l.api.Devices())+len(l.api.Keys()) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("left in the tailnet: %+v, %+v", l.api.Devices(), l.api.Keys())
		}
	}
	if now := c.helm(); now != pid || pid == 0 {
		t.Errorf("helm was %d and is %d", pid, now)
	}
	left, _ := filepath.Glob(filepath.Join(c.hub.State, "tsnet", "*"))
	berths, _ := filepath.Glob(filepath.Join(c.hub.State, "tailnet", "*"))
	if len(left) > 0 || len(berths) > 0 {
		t.Errorf("left here: %q, %q", left, berths)
	}
	for _, r := range l.api.Requests() {
		c.scan.text("an address that Tailscale was asked for", []byte(r.URL))
	}
}
