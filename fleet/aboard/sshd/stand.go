package sshd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"
)

// The directory of a standing server below its machine's home directory, and its address on the machine, which other
// machines cannot reach.
const (
	StandingKeys = ".ocaptain/sshd/authorized_keys"
	standingHost = ".ocaptain/sshd/host_key"
	StandingHost = "localhost"
	StandingPort = 2222
)

// Stand runs the SSH server of a machine that comes without one, and that restarts programs by itself. The server
// behaves as that of Serve does. It reads at each login from StandingKeys who may log in. It makes its host key at
// the first start, and the key never leaves the machine.
func Stand(ctx context.Context, home string, port int) error {
	if err := becomeOwner(home); err != nil {
		return err
	}
	hostKey, err := standingKey(filepath.Join(home, standingHost))
	if err != nil {
		return fmt.Errorf("host key of the ship's SSH server: %w", err)
	}
	s, err := newServer(hostKey, func(key ssh.PublicKey) bool {
		return isAuthorized(filepath.Join(home, StandingKeys), key)
	})
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return fmt.Errorf("the ship's SSH server: %w", err)
	}
	return s.serve(ctx, listener)
}

// StandingHostKey returns the public host key of the standing server in that home. It makes the key if it is missing.
func StandingHostKey(home string) (ssh.PublicKey, error) {
	raw, err := standingKey(filepath.Join(home, standingHost))
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(raw)
	if err != nil {
		return nil, err
	}
	return signer.PublicKey(), nil
}

// standingKey returns the private host key. If several processes make one at the same time, the first one wins.
func standingKey(name string) ([]byte, error) {
	raw, err := os.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return raw, err
	}
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".host_key-") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(pem.EncodeToMemory(block))
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(tmp.Name(), name); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(name)
}

// isAuthorized reports whether the file lists the key. An unreadable file lists none.
func isAuthorized(file string, key ssh.PublicKey) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	rest, err := io.ReadAll(io.LimitReader(f, 1<<16))
	for err == nil && len(rest) > 0 {
		var listed ssh.PublicKey
		if listed, _, _, rest, err = ssh.ParseAuthorizedKey(rest); err == nil && bytes.Equal(listed.Marshal(), key.Marshal()) {
			return true
		}
	}
	return false
}
