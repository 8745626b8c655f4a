// Package secrets keeps what the agents of a voyage's ships get, and takes that out of texts.
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
)

// Given is what the ships' agents get. Its file lets a ship be added after helm was restarted.
type Given struct {
	Secrets map[string]string `json:"secrets"`
	Env     map[string]string `json:"env"`
}

// With are these, and others beside them or in their place.
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
	given atomic.Pointer[Given] // nil when it is not known
}

// New returns a keeper that knows nothing yet.
func New(d fleet.Dir, files *kept.Files) *Keeper { return &Keeper{dir: d, files: files} }

// Load returns what the ships' agents get, as helm knows it, else as the file says. A voyage that was sunk has none.
func (k *Keeper) Load() (Given, error) {
	if known := k.given.Load(); known != nil {
		return *known, nil
	}
	var s Given
	return s, fleet.Load(k.dir.Secrets(), &s)
}

// Remove removes what the ships' agents of a voyage get.
func Remove(d fleet.Dir) error {
	for _, path := range []string{d.SecretsCopy(), d.Secrets(), d.Bring(), d.Admission()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Keep writes down what the ships' agents get.
func (k *Keeper) Keep(s Given) error {
	k.learn(s)
	k.given.Store(&s)
	return errors.Join(k.WriteAgain(), fleet.Save(k.dir.SecretsCopy(), &s, 0o600))
}

// WriteAgain writes the file again.
func (k *Keeper) WriteAgain() error { return k.files.Write(k.dir.Secrets(), k.given.Load(), 0o600) }

// LoginName names the login of a ship's agent: the login that the hub gave to all ships, or, if it gave
// none, the ship's own.
func (k *Keeper) LoginName(a agent.Agent, ship string) string {
	own, err := k.Load()
	if err == nil && slices.ContainsFunc(a.Keys, func(key string) bool { return own.Secrets[key] != "" || own.Env[key] != "" }) {
		return a.Name
	}
	return a.Name + " of " + ship
}

// learn makes the keeper know the secrets that Redact takes out.
func (k *Keeper) learn(s Given) {
	k.words.Store(hush.NewSecrets(slices.Collect(maps.Values(s.Secrets))...))
}

// Restore learns what the file says. lost learns why the file could not be read that Restore has written again from its copy.
func (k *Keeper) Restore(lost func(error)) error {
	s, err := k.Load()
	if err != nil && fleet.Load(k.dir.SecretsCopy(), &s) == nil {
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

// Redact takes the secrets of the voyage's agents out of a text from a ship. Ships do so too, where
// they write their journals; but agents can read what they are given, and print it elsewhere.
func (k *Keeper) Redact(text string) string { return k.words.Load().HideText(text) }

// RedactError is Redact for what a command on a ship has complained of.
func (k *Keeper) RedactError(err error) error { return k.words.Load().HideIn(err) }
