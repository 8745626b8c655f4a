package hosts_test

import (
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet/proctest"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/tasks/eventually"
)

// Jump hosts are really used.
func TestJumps(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	quay := p.start("quay", nil)
	mole := p.start("mole", []string{"ProxyJump quay"})
	pier := p.start("pier", []string{"ProxyJump quay,mole"})
	p.options.Hosts = func() ([]string, error) { return []string{"pier"}, nil }
	p.create("ship-0")
	for _, h := range []*hoststest.Host{quay, mole} {
		if next := map[*hoststest.Host]string{quay: mole.Addr, mole: pier.Addr}[h]; !strings.Contains(h.Log(), "target "+strings.Replace(next, ":", " port ", 1)) {
			t.Errorf("nothing went from %s to %s", h.Name, next)
		}
	}
	mole.Halt()
	p.refused("host pier cannot be reached", "Connection refused")
	mole.Boot()
	p.create("ship-1")
}

func TestForwardingForbidden(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	p.start("quay", nil, "AllowStreamLocalForwarding no")
	if looks, err := p.provider().LookAtAll(soon(t)); err != nil || looks[0].Err == nil || !strings.Contains(looks[0].Err.Error(), "host quay: sshd_config there must have AllowStreamLocalForwarding yes") {
		t.Errorf("a look finds %+v: %v", looks, err)
	}
	m := p.create("ship-0")
	if c, err := p.provider().Dial(soon(t), m); err == nil {
		c.Close()
		t.Error("connected")
	} else if !strings.Contains(err.Error(), "AllowStreamLocalForwarding") {
		t.Error(err)
	}
}

// The captain's login shell on a host may quote in another way than sh does.
func TestOddShells(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	p.start("quay", nil, `ForceCommand tcsh -f -c "$SSH_ORIGINAL_COMMAND"`)
	if looks, err := p.provider().LookAtAll(soon(t)); err != nil || looks[0].Err != nil {
		t.Errorf("a look finds %+v: %v", looks, err)
	}
	conn, err := p.provider().Dial(soon(t), p.create("ship-0"))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// A host that allows only one session per connection cannot be used, and Look reports that.
func TestOneSession(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	p.start("quay", nil, "MaxSessions 1")
	if looks, err := p.provider().LookAtAll(soon(t)); err != nil || looks[0].Err == nil || !strings.Contains(looks[0].Err.Error(), "sshd_config there must have MaxSessions 10") {
		t.Errorf("a look finds %+v: %v", looks, err)
	}
}

// A connection to a ship can be passed to another process: it goes on there, and the programs that it goes through
// end with it.
func TestPass(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	p.start("quay", nil)
	conn, err := p.provider().Dial(soon(t), p.create("ship-0"))
	if err != nil {
		t.Fatal(err)
	}
	passes, ok := conn.(interface {
		Pass() (*os.File, func(), error)
	})
	if !ok {
		t.Fatalf("%T cannot be passed", conn)
	}
	file, end, err := passes.Pass()
	if err != nil {
		t.Fatal(err)
	}
	again, err := net.FileConn(file)
	file.Close()
	if err != nil {
		t.Fatal(err)
	}
	greeting := make([]byte, 4)
	if _, err := io.ReadFull(again, greeting); err != nil || string(greeting) != "SSH-" {
		t.Errorf("%q, %v", greeting, err)
	}
	again.Close()
	eventually.Holds(t, "ssh ends by itself", func() bool { return len(proctest.With(p.options.Runtime)) == 0 })
	end()
}
