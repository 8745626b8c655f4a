package aboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ocaptain/fleet/private"
	"ocaptain/fleet/proto"
	"ocaptain/sync/whole"
)

// home is the home directory of the ship's user. Everything that ocaptain keeps
// on a ship, apart from the voyage itself, is in its .ocaptain directory.
type home string

func (h home) path(name string) string { return filepath.Join(string(h), ".ocaptain", name) }

func (h home) ship() string      { return h.path("ship.json") }
func (h home) secrets() string   { return h.path("secrets.json") }
func (h home) journal() string   { return h.path("journal.jsonl") }
func (h home) journalID() string { return h.path("journal.id") }
func (h home) run() string       { return h.path("run.json") }
func (h home) session() string   { return h.path("session") }
func (h home) window() string    { return h.path("window") }
func (h home) progress() string  { return h.path("progress") }
func (h home) command() string   { return h.path("command.json") }
func (h home) claim() string     { return h.path("claim.json") }
func (h home) lost() string      { return h.path("lost.json") }
func (h home) mail() string      { return h.path("mail") }
func (h home) attempt() string   { return h.path("attempt.json") }
func (h home) lock() string      { return h.path("serve.lock") }
func (h home) holder() string    { return h.path("serve.json") }
func (h home) binary() string    { return h.path("bin/ocaptain") }

// make creates the directory, closed to other users.
func (h home) make() error {
	if err := os.MkdirAll(h.path(""), 0o700); err != nil {
		return err
	}
	return os.Chmod(h.path(""), 0o700)
}

// socket is where serve listens for hooks. A home with a long path has it in the user's runtime
// directory, which a local ship has.
func (h home) socket() (string, error) {
	dir, err := private.Dir(h.path(""), len("/s"))
	return filepath.Join(dir, "s"), err
}

// LoadShip reads who this ship is.
func LoadShip(dir string) (proto.Ship, error) {
	var s proto.Ship
	if err := readJSON(home(dir).ship(), &s); err != nil {
		return proto.Ship{}, fmt.Errorf("ship file: %w", err)
	}
	if s.Name == "" || s.Voyage == "" {
		return proto.Ship{}, errors.New("ship file: it names no ship or no voyage: provision the ship again")
	}
	return s, nil
}

// loadSecrets reads what only the agent's environment may hold, by variable. No
// file means no secrets.
func loadSecrets(h home) (map[string]string, error) {
	info, err := os.Stat(h.secrets())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("secrets: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("secrets: %s is open to others: chmod 600 it", h.secrets())
	}
	var s map[string]string
	if err := readJSON(h.secrets(), &s); err != nil {
		// The error must not quote what is in the file.
		return nil, fmt.Errorf("secrets: %s is not a JSON object of strings", h.secrets())
	}
	return s, nil
}

func readJSON(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, string(raw)+"\n")
}

// writeFile replaces a private file at once or not at all.
func writeFile(path, text string) error {
	return whole.Write(path, []byte(text), 0o600)
}
