package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/fleet/tailnet/tailnettest"
)

// release builds ocaptain with a node of the tailnet in it, as releases are.
func release(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ocaptain")
	if out, err := exec.Command("go", "build", "-tags", "tsnet", "-ldflags", "-s -w", "-o", path, "ocaptain").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// minted are the keys that the stand-in for Tailscale's API makes.
var minted = regexp.MustCompile(`tskey-auth-k[0-9]+CNTRL-`)

// TestOwnNode sails in the tailnet from a machine without Tailscale: helm is a node by itself, also the one that
// comes back from a crash, and is none any more when the last ship is sunk.
func TestOwnNode(t *testing.T) {
	lab, shelf := tailnettest.Start(t, ""), tailnettest.NewShelf(t)
	api := apitest.Start(t, apitest.Options{Tags: []string{tailnettest.Tag}})
	env := map[string]string{}
	for _, kv := range tailnettest.Env {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	c, fake, _ := atExe(t, exedevtest.Config{Env: env}, append([]string{
		"OCAPTAIN_TAILSCALE_SOCKET=" + filepath.Join(t.TempDir(), "none"), "OCAPTAIN_TAILSCALE_LOGIN_SERVER=" + lab.URL,
		"OCAPTAIN_TAILSCALE_TARBALLS=" + shelf.URL, tailnet.Variable + "=" + api.Secret(), "OCAPTAIN_TAILSCALE_URL=" + api.URL,
		"OCAPTAIN_TAILSCALE_TAG=" + tailnettest.Tag,
	}, tailnettest.Env...)...)
	lab.OnJoin(func(n tailnettest.Member) {
		api.Add(apitest.Device{Node: n.ID, Host: n.Host, IPs: []string{n.IP.String()}, Tags: []string{tailnettest.Tag}, Ephemeral: true})
	})
	c.program = release(t)
	hubs := func() (hosts []string) {
		for _, d := range api.Devices() {
			if strings.HasPrefix(d.Host, "ocaptain-hub-") {
				hosts = append(hosts, d.Host)
			}
		}
		return hosts
	}

	jobs := smallPlan(5, 2, "sleep 1")
	d := c.sail(c.plan("far", "", smallVerify(10), jobs), "-n", "2", "--provider", "exedev", "--agent", "script")
	over := func(b fleet.Board) bool {
		for _, s := range b.Ships {
			if s.Tailnet == nil || s.Via != fleet.ViaTailnet || s.Status.Word == fleet.Unreachable {
				return false
			}
		}
		return len(b.Ships) == 2
	}
	c.until(d, "both ships are reached over the tailnet", time.Minute, over)
	first := hubs()
	if len(first) != 1 {
		t.Errorf("helm is %q", first)
	}
	fake.Shut()
	entered := fake.Entered()
	kill(c.helm())
	c.until(d, "work goes on, by a node that joined anew", time.Minute, func(b fleet.Board) bool {
		_, working, completed := b.Count()
		now := hubs()
		return working+completed > 0 && over(b) && len(now) == 1 && now[0] != first[0]
	})
	c.talks(d, true)
	checkVoyage(t, c, d, c.complete(d, 2*time.Minute), jobs)
	if n := fake.Entered(); n != entered {
		t.Errorf("exe.dev carried %d connections to ships", n-entered)
	}
	c.ocaptain("sink", d.ID(), "-f")
	pid := c.helm()
	for end := time.Now().Add(20 * time.Second); len(api.Devices())+len(api.Keys()) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("left in the tailnet: %+v, %+v", api.Devices(), api.Keys())
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
	for _, r := range api.Requests() {
		c.scan.text("an address that Tailscale was asked for", []byte(r.URL))
	}
	_ = filepath.WalkDir(c.home, func(path string, _ os.DirEntry, _ error) error {
		if raw, _ := os.ReadFile(path); minted.Match(raw) {
			t.Errorf("a key is in %s", path)
		}
		return nil
	})
}
