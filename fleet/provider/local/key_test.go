package local_test

import (
	"testing"

	"ocaptain/fleet/provider/local"
)

func TestAnotherKeyForTheSameShip(t *testing.T) {
	s := newShip(t, options(t, local.IfPossible))
	spec, signer := newSpec(t, "ship-0")
	m, err := s.provider.Create(soon(t), spec)
	if err != nil {
		t.Fatal(err)
	}
	if m.ID != s.machine.ID || m.HostKey != s.machine.HostKey {
		t.Errorf("another machine: %+v", m)
	}
	old := s.config
	s.config = linkConfig(s.provider, m, signer)
	s.connect()
	if got := s.sh("echo hello"); got != "hello" {
		t.Errorf("got %q", got)
	}
	s.config = old
	if r, err := openOnce(t, s); err == nil {
		t.Errorf("the old key gets in: %v", r)
	}
}
