package helm

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/hush"
)

// shortest is how long a secret must be to be taken out of texts: a shorter one is a word, not a key.
const shortest = 8

// loadSecrets reads what the ships' agents get. A voyage that was sunk has none.
func (v *voyage) loadSecrets() (secrets, error) {
	var s secrets
	raw, err := os.ReadFile(v.dir.Secrets())
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(raw, &s)
}

// learn makes the voyage know the secrets that redact takes out.
func (v *voyage) learn(s secrets) {
	var pairs []string
	for _, value := range s.Secrets {
		if len(value) < shortest {
			continue
		}
		quoted, _ := json.Marshal(value) // a string always marshals
		pairs = append(pairs, value, "[secret]", string(quoted[1:len(quoted)-1]), "[secret]")
	}
	v.secrets.Store(strings.NewReplacer(pairs...))
}

// relearn is learn for a voyage that helm takes up.
func (v *voyage) relearn() {
	s, err := v.loadSecrets()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		v.log.Error("secrets.json", "error", err)
	}
	v.learn(s)
}

// redact takes the secrets of the voyage's agents out of a text from a ship. Ships do so too, where
// they write their journals; but agents can read what they are given, and print it elsewhere.
func (v *voyage) redact(text string) string {
	if r := v.secrets.Load(); r != nil {
		return r.Replace(text)
	}
	return text
}

// redactError is redact for what a command on a ship has complained of.
func (v *voyage) redactError(err error) error {
	return hush.Retold(err, v.redact(err.Error()))
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
