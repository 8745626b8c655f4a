package exedev_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/provider/exedev/exedevtest"
)

// Errors about keys say in words what is wrong, and nothing is sent to the lobby.
func TestRefusals(t *testing.T) {
	key := func(s *stage) string { return filepath.Join(s.options.Home, ".ssh", "id_ed25519") }
	known := func(s *stage) string { return filepath.Join(s.options.Home, ".ssh", "known_hosts") }
	for name, c := range map[string]struct {
		spoil func(t *testing.T, s *stage)
		want  string
	}{
		"no key":     {func(_ *testing.T, s *stage) { os.Remove(key(s)) }, "run ssh exe.dev once to register a key"},
		"passphrase": {func(t *testing.T, s *stage) { writeKey(t, key(s), "hush") }, "a key with a passphrase must be in the ssh-agent"},
		"no private key": {
			func(_ *testing.T, s *stage) { _ = os.WriteFile(key(s), []byte("hush"), 0o600) },
			"run ssh exe.dev once to register a key",
		},
		"unregistered": {func(t *testing.T, s *stage) { writeKey(t, key(s), "") }, "run ssh exe.dev once"},
		"another host": {func(t *testing.T, s *stage) {
			other := writeKey(t, filepath.Join(t.TempDir(), "other"), "").PublicKey()
			_ = os.WriteFile(known(s), []byte(knownhosts.Line([]string{"exe.dev"}, other)+"\n"), 0o600)
		}, "not the one in your known_hosts"},
		"unknown host": {func(_ *testing.T, s *stage) { os.Remove(known(s)) }, exedev.Fingerprint},
		"bad token":    {func(_ *testing.T, s *stage) { s.options.Token = func() string { return "exe1.hush" } }, "EXE_TOKEN is not accepted"},
		"weak token": {func(_ *testing.T, s *stage) {
			token := s.fake.Token("ls")
			s.options.Token = func() string { return token }
		}, `does not allow "whoami"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, exedevtest.Config{})
			c.spoil(t, s)
			_, err := s.provider().Create(soon(t), s.spec("ship-0"))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v", err)
			}
			var later *provider.Temporary
			if errors.As(err, &later) {
				t.Error("it is said to be temporary")
			}
			for _, secret := range []string{"hush", "PRIVATE", "secret0"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("it has a secret: %v", err)
				}
			}
			if n := s.said("new"); n > 0 || len(s.fake.Machines()) > 0 {
				t.Error("a machine was asked for")
			}
		})
	}
}

// An agent provides the key that a passphrase protects.
func TestAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	dir, err := os.MkdirTemp("/tmp", "oc-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(s.options.Home, ".ssh", "id_ed25519")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	private, err := ssh.ParseRawPrivateKey(raw)
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(file)
	keys := agent.NewKeyring()
	if err := keys.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	s.options.Agent = filepath.Join(dir, "agent")
	listener, err := net.Listen("unix", s.options.Agent)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(all.Wait)
	t.Cleanup(func() { listener.Close() })
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { defer conn.Close(); _ = agent.ServeAgent(keys, conn) })
		}
	})
	if _, err := s.provider().Create(soon(t), s.spec("ship-0")); err != nil {
		t.Error(err)
	}
}

// A token is sent in a header, and nowhere else.
func TestTokenIsNotInAddresses(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	token := s.fake.Token("ls", "new", "rm", "ssh", "whoami", "ssh-key add")
	s.options.Token = func() string { return token }
	p := s.provider()
	if _, err := p.Create(soon(t), s.spec("ship-0")); err != nil {
		t.Fatal(err)
	}
	s.fake.Revoke(token)
	_, err := p.Get(soon(t), "ship-0")
	all := append(s.fake.Said(), fmt.Sprint(err))
	kept, _ := filepath.Glob(filepath.Join(s.options.Dir, "*"))
	for _, file := range kept {
		raw, _ := os.ReadFile(file)
		all = append(all, string(raw))
	}
	for _, text := range all {
		if strings.Contains(text, token) || strings.Contains(text, "PRIVATE") {
			t.Errorf("a secret in %q", text)
		}
	}
	if s.fake.Logins() > 0 {
		t.Error("the lobby was used all the same")
	}
}
