package login

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// keyring is what one connection may log in with. It is closed after the handshake, or to end it.
type keyring struct {
	signers []ssh.Signer
	agent   net.Conn
	locked  []string // files of keys with a passphrase that no agent holds
	missing []string // why keys that were found cannot be used, those too
}

func (k *keyring) close() {
	if k.agent != nil {
		k.agent.Close()
	}
}

// keys gathers the keys for a host: those of the agent that are named for the host, the other
// ones of the agent, then files. A key with a passphrase is used through the agent alone.
func (c *Captain) keys(ctx context.Context, t target) *keyring {
	k := &keyring{}
	stop := func() bool { return true }
	var held []ssh.Signer
	if k.agent = c.agent(ctx, t, k); k.agent != nil {
		stop = context.AfterFunc(ctx, func() { k.agent.Close() })
		var err error
		if held, err = agent.NewClient(k.agent).Signers(); err != nil {
			k.missing = append(k.missing, "the ssh-agent gives no keys: "+Tidy(err.Error()))
		}
	}
	defer stop()
	var named, files []ssh.Signer
	for _, file := range t.keys {
		signer, public, err := readKey(file)
		at := -1
		if public != nil {
			at = slices.IndexFunc(held, func(s ssh.Signer) bool { return bytes.Equal(s.PublicKey().Marshal(), public.Marshal()) })
		}
		switch {
		case at >= 0:
			named = append(named, held[at])
			held = slices.Delete(held, at, at+1)
		case signer != nil:
			files = append(files, signer)
		case err != nil && (t.own || !errors.Is(err, os.ErrNotExist)):
			k.missing = append(k.missing, err.Error())
			if errors.As(err, new(*lockedError)) {
				k.locked = append(k.locked, file)
			}
		}
	}
	if t.onlyKeys {
		held = nil
	}
	if t.own {
		k.signers = slices.Concat(named, files, held)
	} else {
		k.signers = slices.Concat(named, held, files)
	}
	return k
}

// readKey reads a private key, or at least its public half.
func readKey(file string) (ssh.Signer, ssh.PublicKey, error) {
	var public ssh.PublicKey
	if raw, err := readSmall(file + ".pub"); err == nil {
		public, _, _, _, _ = ssh.ParseAuthorizedKey(raw)
	}
	raw, err := readSmall(file)
	if err != nil {
		return nil, public, err
	}
	signer, err := ssh.ParsePrivateKey(raw)
	var locked *ssh.PassphraseMissingError
	switch {
	case err == nil:
		return signer, signer.PublicKey(), nil
	case errors.As(err, &locked):
		if locked.PublicKey != nil {
			public = locked.PublicKey
		}
		return nil, public, &lockedError{file}
	}
	if key, _, _, _, e := ssh.ParseAuthorizedKey(raw); e == nil {
		return nil, key, fmt.Errorf("%s is a public key that the ssh-agent does not hold", file)
	}
	return nil, public, fmt.Errorf("the key %s cannot be read: %w", file, err)
}

// lockedError is that of a key with a passphrase.
type lockedError struct{ file string }

func (e *lockedError) Error() string {
	return fmt.Sprintf("the key %s has a passphrase: add it to the ssh-agent with: ssh-add %[1]s", e.file)
}

// readSmall reads a file that a key may be in.
func readSmall(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return nil, fmt.Errorf("%s is no key", file)
	}
	return os.ReadFile(file)
}

// agent connects with the ssh-agent, if there is one.
func (c *Captain) agent(ctx context.Context, t target, k *keyring) net.Conn {
	sockets := []string{t.agent}
	switch t.agent {
	case "none":
		return nil
	case "", "SSH_AUTH_SOCK":
		if sockets = nil; c.Agents != nil {
			sockets = c.Agents()
		}
	}
	why := ""
	for _, socket := range sockets {
		if socket == "" {
			continue
		}
		conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if err == nil {
			return conn
		}
		why = "the ssh-agent does not answer: " + err.Error()
	}
	if why == "" {
		why = NoAgent
	}
	k.missing = append(k.missing, why)
	return nil
}

// NoAgent is what Denied.Missing says where there is no ssh-agent.
const NoAgent = "there is no ssh-agent"

// Denied says that a host lets the captain in with none of the keys.
type Denied struct {
	Place   Place
	User    string   // there
	Offered []string // fingerprints of keys
	Locked  []string // files of keys that have a passphrase and are in no agent
	Missing []string // why keys were not offered, in words
	Try     string   // command with which the captain sees for himself
}

func (d *Denied) Error() string {
	text := "no key to offer"
	if len(d.Offered) > 0 {
		text = "it was offered " + strings.Join(d.Offered[:min(len(d.Offered), 6)], ", ")
	}
	if len(d.Missing) > 0 {
		text += "; " + strings.Join(d.Missing, "; ")
	}
	return fmt.Sprintf("host %s does not let %s in: %s; try: %s", d.Place, d.User, text, d.Try)
}

// denied tells what there was to log in with.
func (k *keyring) denied(t target, try string) *Denied {
	d := &Denied{Place: t.place, User: t.user, Locked: k.locked, Missing: k.missing, Try: try}
	for _, s := range k.signers {
		d.Offered = append(d.Offered, ssh.FingerprintSHA256(s.PublicKey()))
	}
	return d
}

// account is the user's entry in the password file.
func account() (*user.User, error) { return user.LookupId(fmt.Sprint(os.Getuid())) }

func accountHome() (string, error) {
	u, err := account()
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}
