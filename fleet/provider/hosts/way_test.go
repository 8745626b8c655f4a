package hosts_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/provider/hosts/hoststest"
)

// What lies on the way is really used, and a way in a circle ends.
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
	p.refused("on the way to host pier", "host mole cannot be reached")
	mole.Boot()
	p.Configure("Host loop\n  ProxyJump pool\nHost pool\n  ProxyJump loop\n")
	p.options.Hosts = func() ([]string, error) { return []string{"loop"}, nil }
	p.refused("in a circle")
}

// What the captain's configuration asks for and cannot be had is said.
func TestNotHonoured(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	p.start("quay", []string{"Ciphers aes256-ctr", "CertificateFile /nowhere", "Compression yes", "StrictHostKeyChecking no"})
	m := p.create("ship-0")
	if !strings.Contains(m.Note, "~/.ssh/config sets certificatefile, ciphers, stricthostkeychecking for host quay, which is not honoured") {
		t.Errorf("note %q", m.Note)
	}
	p.Configure("Host odd\n  ProxyCommand nc %h %p\n")
	p.options.Hosts = func() ([]string, error) { return []string{"odd"}, nil }
	p.refused("host odd: ~/.ssh/config says proxycommand", "use ProxyJump")
}

func TestForwardingForbidden(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	p.start("quay", nil, "AllowStreamLocalForwarding no")
	m := p.create("ship-0")
	if c, err := p.provider().Dial(soon(t), m); err == nil {
		c.Close()
		t.Error("connected")
	} else if !strings.Contains(err.Error(), "AllowStreamLocalForwarding") {
		t.Error(err)
	}
}

// The name that known_hosts has for a host may be another one, with a port of its own or without, as OpenSSH has it.
func TestHostKeyAlias(t *testing.T) {
	t.Parallel()
	for alias, known := range map[string]string{"berth": "berth:22", "[berth]:2222": "berth:2222"} {
		p := newPort(t)
		quay := p.start("quay", []string{"HostKeyAlias " + alias})
		p.Forget()
		p.Knows(known, quay.Key)
		config := filepath.Join(p.Home, ".ssh", "config")
		if out, err := exec.Command("ssh", "-F", config, "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "quay", "true").CombinedOutput(); err != nil {
			t.Errorf("%s: ssh: %v\n%s", alias, err, out)
		}
		p.create("ship-0")
	}
}
