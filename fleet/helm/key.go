package helm

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/sync/whole"
)

// InstallKey returns the key with which this install logs in to its ships. It is made
// when it is first needed, and never leaves the hub.
func InstallKey(h fleet.Hub) (ssh.Signer, error) {
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
	raw := pem.EncodeToMemory(block)
	return raw, whole.Write(path, raw, 0o600)
}

// Install returns the id of this install, which labels everything that it makes
// anywhere, so that two captains with one account never touch each other's ships.
func Install(h fleet.Hub) (string, error) {
	path := filepath.Join(h.State, "install")
	raw, err := os.ReadFile(path)
	if err == nil && len(raw) >= 12 {
		return string(raw[:12]), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	id := fleet.NewID()[len("voyage-"):]
	return id, whole.Write(path, []byte(id), 0o600)
}
