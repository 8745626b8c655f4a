package local_test

import (
	"context"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
	"ocaptain/tasks/eventually"
)

// ship is one machine with a link to it.
type ship struct {
	*link.Link
	t        testing.TB
	provider *local.Provider
	options  local.Options
	machine  provider.Machine
	config   link.Config
}

func soon(t testing.TB) context.Context {
	return eventually.Context(t)
}

func newSpec(t testing.TB, name string) (provider.Spec, ssh.Signer) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return provider.Spec{
		Name:          name,
		Labels:        map[string]string{"voyage": "voyage-1"},
		AuthorizedKey: string(ssh.MarshalAuthorizedKey(signer.PublicKey())),
	}, signer
}

func newShip(t testing.TB, o local.Options) *ship {
	t.Helper()
	p := newProvider(t, o)
	spec, signer := newSpec(t, "ship-0")
	m, err := p.Create(soon(t), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Destroy(context.Background(), "ship-0"); err != nil {
			t.Error(err)
		}
	})
	s := &ship{t: t, provider: p, options: o, machine: m}
	s.config = linkConfig(p, m, signer)
	s.connect()
	return s
}

func (s *ship) connect() {
	s.t.Helper()
	var err error
	if s.Link, err = link.Open(s.config); err != nil {
		s.t.Fatal(err)
	}
	l := s.Link
	s.t.Cleanup(func() { l.Close() })
	if err := l.AwaitConnected(soon(s.t)); err != nil {
		s.t.Fatal(err)
	}
}

// sh runs a script on the ship and returns its output, even if the script fails.
func (s *ship) sh(script string, args ...string) string {
	s.t.Helper()
	r, err := s.Run(soon(s.t), link.Command{Argv: append([]string{"sh", "-c", "{\n" + script + "\n} 2>&1 || :", "sh"}, args...)})
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(r.Stdout))
}

func (s *ship) home() string { return filepath.Join(s.options.Root, "ship-0", "home") }

func (s *ship) destroy() {
	s.t.Helper()
	if err := s.provider.Destroy(soon(s.t), "ship-0"); err != nil {
		s.t.Fatal(err)
	}
	if left := leftovers(s.t, s.options, s.machine); len(left) > 0 {
		s.t.Errorf("left behind: %v", left)
	}
}

func writeFile(t testing.TB, name, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// openOnce opens a link with the ship's current configuration and returns the state after the first attempt.
func openOnce(t *testing.T, s *ship) (link.State, error) {
	t.Helper()
	l, err := link.Open(s.config)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = l.Run(soon(t), link.Command{Argv: []string{"true"}})
	return l.Status().State, err
}
