package exedev_test

import (
	"errors"
	"net"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/provider/exedev/exedevtest"
)

// A machine that has moved is reached at the address that the lobby reports, even if nothing or another machine
// answers at the old address.
func TestMoved(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{TellUser: true})
	p := s.provider()
	m, err := p.Create(soon(t), s.spec("ship-0"))
	if err != nil {
		t.Fatal(err)
	}
	s.fake.Move("ship-0-oci1", "a.lax.exe.xyz")
	var later *provider.Temporary
	if _, err := p.Dial(soon(t), m); !errors.As(err, &later) {
		t.Errorf("at the old address: %v", err)
	}
	back, err := p.Ensure(soon(t), "ship-0")
	if err != nil || back.Addr != "a.lax.exe.xyz:22" || back.User != m.User || back.ID != m.ID {
		t.Errorf("moved: %+v, %v", back, err)
	}
	key := s.opens(p, m)
	if got := s.opens(s.provider(), m); got != key { // a new Provider reads the address from the file
		t.Errorf("another host: %s and %s", key, got)
	}

	other, err := p.Create(soon(t), s.spec("ship-1"))
	if err != nil {
		t.Fatal(err)
	}
	s.fake.Move("ship-0-oci1", "b.lax.exe.xyz")
	s.fake.Move("ship-1-oci1", "a.lax.exe.xyz")
	conn, err := p.Dial(soon(t), m)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close() // at once, as a client does that finds a wrong host key
	if got := s.opens(p, m); got != key {
		t.Error("another machine was taken for it")
	}
	if _, err := p.Ensure(soon(t), "ship-1"); err != nil {
		t.Error(err)
	}
	if got := s.opens(p, other); got == key {
		t.Error("it was taken for another machine")
	}
	if n := s.said("restart"); n > 0 {
		t.Errorf("%d restarts", n)
	}

	s.fake.Move("ship-0-oci1", "")
	if back, err = p.Ensure(soon(t), "ship-0"); err != nil || back.Addr != "vm.exe.xyz:22" || back.User != "vm+ship-0-oci1" {
		t.Errorf("behind the gateway: %+v, %v", back, err)
	}
	s.opens(p, back)
}

// opens logs in to a machine, and returns the fingerprint of its host key.
func (s *stage) opens(p *exedev.Provider, m provider.Machine) (print string) {
	s.Helper()
	conn, err := p.Dial(soon(s), m)
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close()
	sc, chans, requests, err := ssh.NewClientConn(conn, m.Name, &ssh.ClientConfig{
		User: m.User, Auth: []ssh.AuthMethod{ssh.PublicKeys(s.signer)},
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			print = ssh.FingerprintSHA256(key)
			return nil
		},
	})
	if err != nil {
		s.Fatal(err)
	}
	client := ssh.NewClient(sc, chans, requests)
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		s.Fatal(err)
	}
	if err := session.Run("true"); err != nil {
		s.Error(err)
	}
	return print
}
