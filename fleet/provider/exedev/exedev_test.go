package exedev_test

import (
	"crypto/ed25519"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is an account at a stand-in, and a captain with a home directory.
type stage struct {
	testing.TB
	fake    *exedevtest.Fake
	options exedev.Options
	signer  ssh.Signer // the captain's key, which is in a file
	config  exedevtest.Config
}

func newStage(t testing.TB, c exedevtest.Config) *stage {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := &stage{TB: t, config: c, signer: writeKey(t, filepath.Join(home, ".ssh", "id_ed25519"), "")}
	c.Keys = append(c.Keys, s.signer.PublicKey())
	s.fake = exedevtest.Start(t, c)
	key, err := os.ReadFile(filepath.Join(home, ".ssh", "id_ed25519"))
	if err != nil {
		t.Fatal(err)
	}
	s.fake.Knows(home, s.fake.Addr(), key)
	s.options = exedev.Options{
		Dir: filepath.Join(home, "machines"), Runtime: s.sockets(), Install: "i1", Home: home, Via: s.fake.URL, Settle: 3 * time.Second, Pace: time.Second,
	}
	return s
}

// writeKey makes a key and writes it to a file.
func writeKey(t testing.TB, file, passphrase string) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".pub", ssh.MarshalAuthorizedKey(signer.PublicKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	return signer
}

// sockets returns a directory with a short path.
func (s *stage) sockets() string {
	s.Helper()
	dir, err := os.MkdirTemp("/tmp", "oc-")
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			s.Errorf("left in %s: %v", dir, left)
		}
		os.RemoveAll(dir)
	})
	return dir
}

// provider returns another Provider for the same account.
func (s *stage) provider() *exedev.Provider {
	s.Helper()
	p, err := exedev.New(s.options)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(p.Close)
	return p
}

func (s *stage) leftovers(m provider.Machine) []string {
	var left []string
	if name := m.Name + "-oci1"; s.fake.Left(name) {
		left = append(left, "the machine "+name)
	}
	for _, file := range []string{m.Name + ".json", filepath.Join(".locks", m.Name)} {
		if _, err := os.Lstat(filepath.Join(s.options.Dir, file)); err == nil {
			left = append(left, file)
		}
	}
	return left
}

// rename returns a function that renames a machine. Behind a gateway, that changes the machine's address.
func (s *stage) rename() func(name string) func() {
	if s.config.Gateway {
		return nil
	}
	return func(name string) func() {
		s.fake.Rename(name+"-oci1", "kept-oci1")
		return func() { s.fake.Rename("kept-oci1", name+"-oci1") }
	}
}

func (s *stage) subject() *providertest.Subject {
	return &providertest.Subject{
		Provider: s.provider(),
		Again:    func() provider.Provider { return s.provider() },
		Kill: func(m provider.Machine) {
			if err := s.fake.Stop(m.Name + "-oci1"); err != nil {
				s.Error(err)
			}
		},
		Leftovers: s.leftovers,
		There: func(name string) bool {
			return slices.ContainsFunc(s.fake.Machines(), func(is string) bool { return is == name+"-oci1" || is == "kept-oci1" })
		},
		Lies: map[providertest.Lie]func(){
			providertest.Absent:    func() { s.fake.Misbehave("ls", exedevtest.Lacks) },
			providertest.Behind:    func() { s.fake.Misbehave("ls", exedevtest.Lags) },
			providertest.NotMade:   func() { s.fake.Misbehave("new", exedevtest.Denied) },
			providertest.Destroyed: func() { s.fake.Misbehave("rm", exedevtest.Claimed) },
			providertest.Stays:     func() { s.fake.Misbehave("rm", exedevtest.Denied) },
			providertest.Existed:   func() { s.fake.Misbehave("new", exedevtest.Existed) },
			providertest.Formless:  func() { s.fake.Misbehave("ls", exedevtest.Failing, exedevtest.Bare) },
		},
		Unmark: s.rename(),
		Return: func(name string) {
			if err := s.fake.Foreign(name + "-oci1"); err != nil {
				s.Error(err)
			}
		},
	}
}

// way is a way to reach exe.dev, and the faults that occur on it.
type way struct {
	config  exedevtest.Config
	token   bool
	weather map[string][]exedevtest.Fault
}

// TestContract checks the contract by SSH and by HTTPS, while every kind of command fails now and then.
func TestContract(t *testing.T) {
	for name, w := range map[string]way{
		"gateway": {
			config:  exedevtest.Config{Gateway: true, Boot: 300 * time.Millisecond},
			weather: map[string][]exedevtest.Fault{"new": {exedevtest.Lost}, "restart": {exedevtest.Unseen}},
		},
		"token": {
			config: exedevtest.Config{TellUser: true}, token: true,
			weather: map[string][]exedevtest.Fault{
				"new": {exedevtest.Unseen}, "rm": {exedevtest.Lost}, "ls": {exedevtest.Throttle, exedevtest.Broken},
				"restart": {exedevtest.Unseen}, "whoami": {exedevtest.Dropped},
			},
		},
	} {
		t.Run(name, w.contract)
	}
}

func (w way) contract(t *testing.T) {
	providertest.Run(t, func(t *testing.T) *providertest.Subject {
		s := newStage(t, w.config)
		s.options.Settle = 20 * time.Second // long, as the stand-in first starts an sshd before it lists a machine whose name it has taken
		if w.token {
			token := s.fake.Token("ls", "new", "rm", "restart", "ssh", "whoami", "ssh-key add")
			s.options.Token = func() string { return token }
		}
		for command, faults := range w.weather {
			s.fake.Misbehave(command, faults...)
		}
		return s.subject()
	})
}
