// Package shipdir holds what all programs on a ship share: ocaptain's directory in the ship's home, the ship's journal, and calls to the
// ship's server.
package shipdir

import (
	"crypto/rand"
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

// Dir is the home directory of the ship's user. Everything that ocaptain keeps
// on a ship, apart from the voyage itself, is in its .ocaptain directory.
type Dir string

// Path returns the path of a file or directory in the .ocaptain directory.
func (h Dir) Path(name string) string { return filepath.Join(string(h), ".ocaptain", name) }

// Ship returns the path of the file with the ship's settings: a proto.Ship.
func (h Dir) Ship() string { return h.Path("ship.json") }

// Secrets returns the path of the file with the secret part of the agent's environment.
func (h Dir) Secrets() string { return h.Path("secrets.json") }

// Journal returns the path of the ship's journal, whose records helm fetches.
func (h Dir) Journal() string { return h.Path("journal.jsonl") }

// JournalID returns the path of the file with the journal's id. When the id changes, helm reads the journal from its
// start.
func (h Dir) JournalID() string { return h.Path("journal.id") }

// Run returns the path of the file that says where the runner and the agent are: a Running.
func (h Dir) Run() string { return h.Path("run.json") }

// Session returns the path of the file with the id of the agent's session.
func (h Dir) Session() string { return h.Path("session") }

// Conversation returns the path of the file about the agent's conversation: a Conversation.
func (h Dir) Conversation() string { return h.Path("conversation.json") }

// NextConversation returns the path of the file about the agent's next conversation: a NextConversation.
func (h Dir) NextConversation() string { return h.Path("next.json") }

// Window returns the path of the file with the name that the window was last given.
func (h Dir) Window() string { return h.Path("window") }

// Progress returns the path of the file that counts the progress of an agent that takes turns.
func (h Dir) Progress() string { return h.Path("progress") }

// Command returns the path of the file about the command that the script agent runs: a Process.
func (h Dir) Command() string { return h.Path("command.json") }

// Claim returns the path of the file with the ship's claim: a proto.Claim.
func (h Dir) Claim() string { return h.Path("claim.json") }

// Lost returns the path of the file with the claim that the ship has lost: a LostClaim.
func (h Dir) Lost() string { return h.Path("lost.json") }

// Interrupted returns the path of the file that exists from an interrupt of an agent that takes turns until the
// captain has sent it a message.
func (h Dir) Interrupted() string { return h.Path("interrupted") }

// Mail returns the directory of the captain's messages.
func (h Dir) Mail() string { return h.Path("mail") }

// Telemetry returns the directory of what the agent has exported and helm does not have yet.
func (h Dir) Telemetry() string { return h.Path("telemetry") }

// TelemetryKey returns the path of the file with the key that the ship's receiver of telemetry demands, since ships on one
// machine share its loopback.
func (h Dir) TelemetryKey() string { return h.Path("telemetry.key") }

// NewTelemetryKey makes a new key for a run. Journals opened from then on remove it from their records.
func NewTelemetryKey(h Dir) (string, error) {
	key := rand.Text()
	return key, WriteFile(h.TelemetryKey(), key)
}

// Delivered returns the path of the file that says how much telemetry helm has got.
func (h Dir) Delivered() string { return h.Path("delivered.json") }

// Search returns the path of the file with what the ship remembers of its code search.
func (h Dir) Search() string { return h.Path("search.json") }

// Allowance returns the path of the file that says what the agent may cost while helm is away: a proto.Allowance. It
// exists only if there is a limit.
func (h Dir) Allowance() string { return h.Path("allowance.json") }

// Attempt returns the path of the file about a message that is being typed: an Attempt.
func (h Dir) Attempt() string { return h.Path("attempt.json") }

// Lock returns the path of the lock that the ship's only serve holds.
func (h Dir) Lock() string { return h.Path("serve.lock") }

// Holder returns the path of the file that names the process which holds Lock.
func (h Dir) Holder() string { return h.Path("serve.json") }

// Binary returns the path of ocaptain's own program.
func (h Dir) Binary() string { return h.Path("bin/ocaptain") }

// Make creates the .ocaptain directory, closed to other users.
func (h Dir) Make() error {
	if err := os.MkdirAll(h.Path(""), 0o700); err != nil {
		return err
	}
	return os.Chmod(h.Path(""), 0o700)
}

// Socket returns the path of the socket on which serve listens for hooks. If the home's path is too long, the socket
// is in the user's runtime directory, which a local ship has.
func (h Dir) Socket() (string, error) {
	dir, err := private.SocketDir(h.Path(""), len("/s"))
	return filepath.Join(dir, "s"), err
}

// Usage returns the path of a file about how far transcripts were read, and about the cost.
func (h Dir) Usage(name string) string { return filepath.Join(h.Path("usage"), name) }

// LoadShip reads the ship's settings.
func LoadShip(dir string) (proto.Ship, error) {
	var s proto.Ship
	if err := ReadJSON(Dir(dir).Ship(), &s); err != nil {
		return proto.Ship{}, fmt.Errorf("ship file: %w", err)
	}
	if s.Name == "" || s.Voyage == "" {
		return proto.Ship{}, errors.New("ship file: it names no ship or no voyage: provision the ship again")
	}
	return s, nil
}

// LoadSecrets reads the secrets for the agent's environment, by variable. A missing file means no secrets.
func LoadSecrets(h Dir) (map[string]string, error) {
	info, err := os.Stat(h.Secrets())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("secrets: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("secrets: %s is open to others: chmod 600 it", h.Secrets())
	}
	var s map[string]string
	if err := ReadJSON(h.Secrets(), &s); err != nil {
		// The error must not quote the file's content.
		return nil, fmt.Errorf("secrets: %s is not a JSON object of strings", h.Secrets())
	}
	return s, nil
}

// ReadJSON reads a JSON file into a value.
func ReadJSON(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// WriteJSON writes a JSON file atomically, closed to other users.
func WriteJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(path, string(raw)+"\n")
}

// WriteFile atomically replaces a file that only its owner can read.
func WriteFile(path, text string) error {
	return whole.Write(path, []byte(text), 0o600)
}
