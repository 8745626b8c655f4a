package openssh_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
)

// Through uses the way in ~/.ssh/config to a server, without a shell on the hosts in between.
func TestThrough(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := newCaptain(t)
	quay, mole := c.Start("quay", nil), c.Start("mole", []string{"ProxyJump quay"})
	host, port, _ := net.SplitHostPort(mole.Addr)
	known := "\n  UserKnownHostsFile " + c.Home + "/.ssh/known_hosts\n  IdentityFile " + c.Key
	c.Configure("Host one two\n  HostName " + host + "\n  Port " + port + known + "\nHost two\n  ProxyJump quay,mole\nHost program\n  HostName " + host + "\n  Port " + port +
		"\n  ProxyCommand " + exe + " pipe %h:%p\nHost none\n  ProxyCommand " + exe + " pipe 127.0.0.1:1\n")
	dialled := 0
	dial := func(ctx context.Context, addr string) (net.Conn, error) {
		dialled++
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
	for _, place := range []string{"one", "two", "mole", "program"} {
		conn, err := c.login.Through(soon(t), openssh.Place{Host: place}, dial)
		if err != nil {
			t.Errorf("%s: %v", place, err)
			continue
		}
		greeting := make([]byte, 4)
		if _, err := io.ReadFull(conn, greeting); err != nil || string(greeting) != "SSH-" {
			t.Errorf("%s: %q, %v", place, greeting, err)
		}
		conn.Close()
	}
	if dialled != 1 {
		t.Errorf("dialled %d times", dialled)
	}
	quay.Halt()
	for _, place := range []string{"two", "mole", "none"} {
		var later *provider.Temporary
		if conn, err := c.login.Through(soon(t), openssh.Place{Host: place}, dial); !errors.As(err, &later) {
			t.Errorf("%s: %v, %v", place, conn, err)
		}
	}
}
