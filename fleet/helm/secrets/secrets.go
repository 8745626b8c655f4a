// Package secrets stores the secrets of the agents of a voyage, and removes them from texts.
package secrets

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync/atomic"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/hush"
	"ocaptain/fleet/summed"
)

// Given holds the environment that the ships' agents get. It is stored in a file, so that helm can add ships after a
// restart.
type Given struct {
	Secrets map[string]string `json:"secrets"`
	Env     map[string]string `json:"env"`
}

// With returns s with the entries of more added, which replace those of the same name.
func (s Given) With(more Given) Given {
	all := Given{maps.Clone(s.Secrets), maps.Clone(s.Env)}
	if all.Secrets == nil {
		all.Secrets = map[string]string{}
	}
	if all.Env == nil {
		all.Env = map[string]string{}
	}
	maps.Copy(all.Secrets, more.Secrets)
	maps.Copy(all.Env, more.Env)
	return all
}

// Keeper keeps the secrets of a voyage. Its methods are safe for concurrent use.
type Keeper struct {
	dir   fleet.Dir
	files *kept.Files
	words atomic.Pointer[hush.Secrets]
	given atomic.Pointer[Given] // nil when unknown
}

// New returns a keeper that knows nothing yet.
func New(d fleet.Dir, files *kept.Files) *Keeper { return &Keeper{dir: d, files: files} }

// Load returns what the ships' agents get: as the keeper knows it, or else from the file. It is empty for a sunk
// voyage.
func (k *Keeper) Load() (Given, error) {
	if known := k.given.Load(); known != nil {
		return *known, nil
	}
	var s Given
	return s, summed.Read(k.dir.Secrets(), &s)
}

// Remove removes the secrets of a voyage.
func Remove(d fleet.Dir) error {
	for _, path := range []string{d.SecretsCopy(), d.Secrets(), d.Bring(), d.Admission()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Remove is Remove for the keeper's voyage. The keeper does not write the file again.
func (k *Keeper) Remove() error {
	k.files.Forget(k.dir.Secrets())
	return Remove(k.dir)
}

// Keep writes what the ships' agents get to the file.
func (k *Keeper) Keep(s Given) error {
	k.learn(s)
	k.given.Store(&s)
	return errors.Join(k.WriteAgain(), summed.Write(k.dir.SecretsCopy(), &s, 0o600))
}

// WriteAgain writes the known secrets to the file again.
func (k *Keeper) WriteAgain() error { return k.files.Write(k.dir.Secrets(), k.given.Load(), 0o600) }

// LoginName names the login of a ship's agent: the variable with the key that all ships got from the hub or, without
// one, the ship's own login.
func (k *Keeper) LoginName(a agent.Agent, ship string) string {
	own, err := k.Load()
	if err == nil && slices.ContainsFunc(a.Keys, func(key string) bool { return own.Secrets[key] != "" || own.Env[key] != "" }) {
		return a.Name
	}
	return a.Name + " of " + ship
}

// learn makes Redact remove these secrets.
func (k *Keeper) learn(s Given) {
	k.words.Store(hush.NewSecrets(slices.Collect(maps.Values(s.Secrets))...))
}

// Restore reads the secrets from the file. If the file is unreadable, Restore writes it again from its copy, and calls lost
// with the error.
func (k *Keeper) Restore(lost func(error)) error {
	s, err := k.Load()
	if err != nil && summed.Read(k.dir.SecretsCopy(), &s) == nil {
		lost(err)
		err = k.files.Write(k.dir.Secrets(), &s, 0o600)
	}
	if err == nil {
		k.given.Store(&s)
		k.files.Remember(k.dir.Secrets())
	}
	k.learn(s)
	return err
}

// Redact removes the secrets of the voyage's agents from a text of a ship. Ships already do so in their journals, but
// an agent can read its secrets and print them elsewhere.
func (k *Keeper) Redact(text string) string { return k.words.Load().HideText(text) }

// RedactError is Redact for an error with the output of a command on a ship.
func (k *Keeper) RedactError(err error) error { return k.words.Load().HideIn(err) }
