package cli

import (
	"encoding/json"
	"net"
	"strconv"
	"strings"
	"testing"

	"tailscale.com/client/tailscale/v2"

	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/tailnettest"
	"ocaptain/tasks/eventually"
)

// printedPolicy returns the policy for a tailnet that "help tailscale" prints.
func printedPolicy(t *testing.T) (text string) {
	t.Helper()
	b, out := testBridge(t, 0)
	root := newRoot(b)
	root.SetArgs([]string{"help", "tailscale"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, text, _ = strings.Cut(out.String(), "\n    {\n")
	text, _, found := strings.Cut(text, "\n    }\n")
	if !found {
		t.Fatalf("help has no policy:\n%s", out)
	}
	return "{" + text + "}"
}

// TestPolicy puts two ships and the captain's laptop into a tailnet with the policy that help prints: the laptop reaches the
// SSH server of ships and nothing else there, and ships reach neither each other nor the laptop.
func TestPolicy(t *testing.T) {
	t.Parallel()
	listen := func() int {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
				conn.Close()
			}
		}()
		return l.Addr().(*net.TCPAddr).Port
	}
	sshd, other := listen(), listen() // the tailnet nodes of a test forward connections to this machine's loopback, where 2222 may be taken
	printed := printedPolicy(t)
	var policy tailscale.ACL
	if err := json.Unmarshal([]byte(strings.ReplaceAll(printed, ":2222", ":"+strconv.Itoa(sshd))), &policy); err != nil {
		t.Fatalf("%v in %s", err, printed)
	}
	if _, ok := policy.TagOwners[tailnet.DefaultTag]; !ok || len(policy.ACLs) > 0 || len(policy.SSH) > 0 {
		t.Errorf("it says more than is tried here: %s", printed)
	}
	lab := tailnettest.Start(t, "")
	laptop, ships := lab.Join(t, "laptop"), []*tailnettest.Node{lab.Join(t, "kite-1"), lab.Join(t, "kite-2")}
	lab.Enforce(policy.Grants, laptop, ships[0], ships[1])
	for i, ship := range ships {
		for _, port := range []int{sshd, other} {
			ships[1-i].Refuses(ship, port)
			laptop.Refuses(ship, port)
		}
		ship.Refuses(laptop, other)
		eventually.Holds(t, "the laptop reaches it", func() bool {
			conn, err := laptop.Daemon.Dial(t.Context(), ship.IP.String(), sshd)
			if err == nil {
				conn.Close()
			}
			return err == nil
		})
	}
}
