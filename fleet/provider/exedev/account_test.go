package exedev_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev/exedevtest"
)

// A machine that another account's list lacks is neither forgotten nor made again.
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
	_, ensured := p.Ensure(soon(t), "ship-0") // if this says that the ship is gone, it loses its task
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

// A listed machine belongs to the account that is logged in, whatever whoami said when it was made, even if the answer to rm is
// lost.
func TestImpostor(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	for range 2 { // the fault occurs only twice, since no session answers as another user for more than two commands
		s.fake.Misbehave("whoami", exedevtest.Stranger)
	}
	p := s.provider()
	if _, err := p.Create(soon(t), s.spec("ship-0")); err != nil {
		t.Fatal(err)
	}
	if who, err := p.Whose(soon(t)); err != nil || who != "ada@example.org" {
		t.Errorf("the account is %q, %v", who, err)
	}
	record := filepath.Join(s.options.Dir, "ship-0.json")
	raw, err := os.ReadFile(record)
	if err != nil || !strings.Contains(string(raw), `"ada@example.org"`) {
		t.Fatalf("kept as %s, %v", raw, err)
	}
	if err := os.WriteFile(record, []byte(strings.Replace(string(raw), "ada@", "eve@", 1)), 0o600); err != nil { // as if it had been told so all along
		t.Fatal(err)
	}
	s.fake.Misbehave("rm", exedevtest.Unseen)
	for err = p.Destroy(soon(t), "ship-0"); err != nil && !errors.Is(err, provider.ErrNotFound); err = p.Destroy(soon(t), "ship-0") {
		if strings.Contains(err.Error(), "belongs to") {
			t.Fatal(err)
		}
	}
	if left := s.fake.Machines(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
