// Package install holds what an install of ocaptain has: a key, an id, secrets, programs, agents and providers.
package install

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/sync/whole"
	"ocaptain/tasks/pattern"
)

// Key returns the key with which this install logs in to its ships. It makes the key at the first call; the key never
// leaves the hub.
func Key(h fleet.Hub) (ssh.Signer, error) {
	path := filepath.Join(h.State, "id_ed25519")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		raw, err = makeKey(path)
	}
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return signer, nil
}

func makeKey(path string) ([]byte, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(key, "ocaptain")
	if err != nil {
		return nil, err
	}
	return whole.Create(path, pem.EncodeToMemory(block), 0o600)
}

// validID matches an install's id, which becomes a part of machines' names.
var validID = pattern.New(`^[a-z0-9]{12,16}$`)

// ID returns the id of this install, which labels everything that it makes anywhere, so that two captains with the same account
// never touch each other's ships. It begins with the name of this host, so that a captain with two laptops sees which of them
// made a machine.
func ID(h fleet.Hub) (string, error) {
	path := idFile(h)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		host, _ := os.Hostname()
		raw, err = whole.Create(path, []byte(newID(host)), 0o600)
	}
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(raw))
	if !validID().MatchString(id) {
		return "", fmt.Errorf("%s is damaged: put it back from a copy, or remove it; machines made before are another install's then", path)
	}
	return id, nil
}

func idFile(h fleet.Hub) string { return filepath.Join(h.State, "install") }

// newID returns an id for an install: at most 8 letters and digits of the host's name, followed by random ones up to 16.
func newID(host string) string {
	first, _, _ := strings.Cut(strings.ToLower(host), ".")
	id := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, first)
	return (id[:min(8, len(id))] + strings.ToLower(rand.Text()))[:16]
}
