package helm

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/hush"
)

// loadSecrets returns what the ships' agents get, as helm knows it, else as the file says. A voyage that was sunk has
// none.
func (v *voyage) loadSecrets() (secrets, error) {
	if known := v.agents.Load(); known != nil {
		return *known, nil
	}
	var s secrets
	return s, fleet.Load(v.dir.Secrets(), &s)
}

// removeSecrets removes what the ships' agents of a voyage get.
func removeSecrets(d fleet.Dir) error {
	for _, path := range []string{d.SecretsCopy(), d.Secrets(), d.Bring()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// keepSecrets writes down what the ships' agents get.
func (v *voyage) keepSecrets(s secrets) error {
	v.learnSecrets(s)
	v.agents.Store(&s)
	return errors.Join(v.files.write(v.dir.Secrets(), &s, 0o600), fleet.Save(v.dir.SecretsCopy(), &s, 0o600))
}

// loginName names the login of a ship's agent: that which the hub gave to all of them, or, where it gave
// none, the ship's own.
func (v *voyage) loginName(a agent.Agent, ship string) string {
	own, err := v.loadSecrets()
	if err == nil && slices.ContainsFunc(a.Keys, func(key string) bool { return own.Secrets[key] != "" || own.Env[key] != "" }) {
		return a.Name
	}
	return a.Name + " of " + ship
}

// learnSecrets makes the voyage know the secrets that redact takes out.
func (v *voyage) learnSecrets(s secrets) {
	v.secrets.Store(hush.NewSecrets(slices.Collect(maps.Values(s.Secrets))...))
}

// relearn is learnSecrets for a voyage that helm takes up.
func (v *voyage) relearn() {
	s, err := v.loadSecrets()
	if err != nil && fleet.Load(v.dir.SecretsCopy(), &s) == nil {
		v.addFinding("secrets.json %s; it was written anew from its copy", wasLost(err))
		err = v.files.write(v.dir.Secrets(), &s, 0o600)
	}
	switch {
	case err == nil:
		v.agents.Store(&s)
		v.files.rememberFile(v.dir.Secrets())
	case !errors.Is(err, os.ErrNotExist):
		v.log.Error("secrets.json", "error", err)
	}
	v.learnSecrets(s)
}

// redact takes the secrets of the voyage's agents out of a text from a ship. Ships do so too, where
// they write their journals; but agents can read what they are given, and print it elsewhere.
func (v *voyage) redact(text string) string {
	return v.secrets.Load().HideText(text)
}

// redactError is redact for what a command on a ship has complained of.
func (v *voyage) redactError(err error) error {
	return v.secrets.Load().HideIn(err)
}

// redacted makes all that a ship says go through redact.
func (v *voyage) redacted(all wire.Handlers) wire.Handlers {
	for method, handle := range all {
		all[method] = func(ctx context.Context, params json.RawMessage) (any, error) {
			if params != nil {
				params = json.RawMessage(v.redact(string(params)))
			}
			return handle(ctx, params)
		}
	}
	return all
}
