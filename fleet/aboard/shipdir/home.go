// Package shipdir is what all programs of a ship share: the directory of ocaptain's in its home, its journal, and how they reach its server.
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

// Path is a file or directory of ocaptain's.
func (h Dir) Path(name string) string { return filepath.Join(string(h), ".ocaptain", name) }

// Ship tells who the ship is.
func (h Dir) Ship() string { return h.Path("ship.json") }

// Secrets has the environment of the agent that is secret.
func (h Dir) Secrets() string { return h.Path("secrets.json") }

// Journal has what happened on the ship, until helm has it.
func (h Dir) Journal() string { return h.Path("journal.jsonl") }

// JournalID names the journal. With a new name helm reads it from its start.
func (h Dir) JournalID() string { return h.Path("journal.id") }

// Run tells where the runner and the agent are: a Running.
func (h Dir) Run() string { return h.Path("run.json") }

// Session names the agent's session.
func (h Dir) Session() string { return h.Path("session") }

// Conversation tells what the agent's conversation is about.
func (h Dir) Conversation() string { return h.Path("conversation.json") }

// NextConversation tells which one begins next.
func (h Dir) NextConversation() string { return h.Path("next.json") }

// Window has the name that the window was last given.
func (h Dir) Window() string { return h.Path("window") }

// Progress counts the steps that moved the work of an agent forward that takes turns.
func (h Dir) Progress() string { return h.Path("progress") }

// Command tells of the command that the agent without a model runs for a task.
func (h Dir) Command() string { return h.Path("command.json") }

// Claim has what the ship holds.
func (h Dir) Claim() string { return h.Path("claim.json") }

// Lost has the claim that the ship lost: a LostClaim.
func (h Dir) Lost() string { return h.Path("lost.json") }

// Interrupted is there from when the captain interrupts an agent that takes turns until he has sent it a message.
func (h Dir) Interrupted() string { return h.Path("interrupted") }

// Mail is the directory of the captain's messages.
func (h Dir) Mail() string { return h.Path("mail") }

// Telemetry is the directory of what the agent exported and helm does not have yet.
func (h Dir) Telemetry() string { return h.Path("telemetry") }

// TelemetryKey has the key without which the ship's receiver of telemetry takes nothing: ships of one machine share its loopback.
func (h Dir) TelemetryKey() string { return h.Path("telemetry.key") }

// NewTelemetryKey makes the key of a run. Journals that are opened from then on keep it out.
func NewTelemetryKey(h Dir) (string, error) {
	key := rand.Text()
	return key, WriteFile(h.TelemetryKey(), key)
}

// Delivered tells how much of that helm has.
func (h Dir) Delivered() string { return h.Path("delivered.json") }

// Search is what the ship remembers of its search in code.
func (h Dir) Search() string { return h.Path("search.json") }

// Allowance is what the agent may cost while helm is away: a proto.Allowance. It is not there where that is any sum.
func (h Dir) Allowance() string { return h.Path("allowance.json") }

// Attempt tells of a message that is being typed.
func (h Dir) Attempt() string { return h.Path("attempt.json") }

// Lock is held by the serve that speaks for the ship.
func (h Dir) Lock() string { return h.Path("serve.lock") }

// Holder tells which process that is.
func (h Dir) Holder() string { return h.Path("serve.json") }

// Binary is ocaptain itself.
func (h Dir) Binary() string { return h.Path("bin/ocaptain") }

// Make creates the directory, closed to other users.
func (h Dir) Make() error {
	if err := os.MkdirAll(h.Path(""), 0o700); err != nil {
		return err
	}
	return os.Chmod(h.Path(""), 0o700)
}

// Socket is where serve listens for hooks. A home with a long path has it in the user's runtime
// directory, which a local ship has.
func (h Dir) Socket() (string, error) {
	dir, err := private.SocketDir(h.Path(""), len("/s"))
	return filepath.Join(dir, "s"), err
}

// Usage is a file of the directory that holds how far transcripts were read, and the cost.
func (h Dir) Usage(name string) string { return filepath.Join(h.Path("usage"), name) }

// LoadShip reads who this ship is.
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

// LoadSecrets reads what only the agent's environment may hold, by variable. No
// file means no secrets.
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
		// The error must not quote what is in the file.
		return nil, fmt.Errorf("secrets: %s is not a JSON object of strings", h.Secrets())
	}
	return s, nil
}

// ReadJSON reads a file of JSON.
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

// WriteJSON writes a file of JSON whole, closed to other users.
func WriteJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(path, string(raw)+"\n")
}

// WriteFile replaces a private file at once or not at all.
func WriteFile(path, text string) error {
	return whole.Write(path, []byte(text), 0o600)
}
