package exedev_test

import (
	"errors"
	"strings"
	"testing"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev/exedevtest"
)

// What another account does not list is neither forgotten nor made a second time.
func TestAnotherAccount(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	m, err := s.provider().Create(soon(t), s.spec("ship-0"))
	if err != nil {
		t.Fatal(err)
	}
	other := newStage(t, exedevtest.Config{Email: "eve@example.org"})
	token := other.fake.Token("ls", "new", "rm", "ssh", "whoami", "ssh-key add")
	theirs := *s
	theirs.options.Via, theirs.options.Token = other.fake.URL, func() string { return token }
	p := theirs.provider()
	_, created := p.Create(soon(t), s.spec("ship-0"))
	_, ensured := p.Ensure(soon(t), "ship-0") // whom that calls gone loses its task
	for _, err := range []error{created, ensured, p.Destroy(soon(t), "ship-0")} {
		if err == nil || !strings.Contains(err.Error(), "belongs to the account ada@example.org, and the login is eve@example.org's") {
			t.Errorf("got %v", err)
		}
	}
	if made := other.fake.Machines(); len(made) > 0 {
		t.Errorf("made at the other account: %q", made)
	}
	if got, err := s.provider().Get(soon(t), "ship-0"); err != nil || got.State != provider.Running {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := errors.Join(s.provider().Destroy(soon(t), "ship-0"), s.provider().Forget(soon(t), "ship-0")); err != nil {
		t.Error(err)
	}
	if left := append(s.fake.Machines(), s.leftovers(m)...); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
