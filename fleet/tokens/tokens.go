// Package tokens keeps on the hub what opens accounts elsewhere, so that helm has it without the
// captain. Each service has a file of its own, for this user alone to read.
package tokens

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/sync/whole"
)

// Token opens an account. It is never printed: what prints it gets a word instead.
type Token struct {
	Secret string `json:"token,omitempty"`
	URL    string `json:"url,omitempty"` // of the service, "" for the usual one
	Tag    string `json:"tag,omitempty"` // of what is made with it, where the service has such; "" for the usual one

	// Command is a program that is logged in to Account there, in place of a secret.
	Command string `json:"command,omitempty"`
	Account string `json:"account,omitempty"`
}

// String keeps the secret out of errors and logs.
func (t Token) String() string {
	if t.Secret == "" {
		return "no token"
	}
	return "a token"
}

// GoString is String, for %#v.
func (t Token) GoString() string { return t.String() }

// LogValue is String, for package slog.
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

// Store is where the tokens of a hub are.
type Store struct{ state string }

// StoreOf is the hub's store. It need not be there yet.
func StoreOf(h fleet.Hub) Store { return Store{h.State} }

// Dir is the directory of all tokens.
func (s Store) Dir() string { return filepath.Join(s.state, "tokens") }

// File is where the token for a service is, or would be. The captain may remove it.
func (s Store) File(service string) string { return filepath.Join(s.Dir(), service+".json") }

// KeepToken stores the token for a service, in place of the old one.
func (s Store) KeepToken(service string, t Token) error {
	raw, err := json.Marshal(t)
	if err == nil {
		err = os.MkdirAll(s.Dir(), 0o700)
	}
	if err == nil {
		err = whole.Write(s.File(service), append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the token for %s: %w", service, err)
	}
	return nil
}

// ReadToken returns the token for a service; one without a Secret when none is kept. It is read at
// each call, so that a token that was changed holds at once.
func (s Store) ReadToken(service string) (Token, error) {
	t, err := read(s.File(service))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Token{}, fmt.Errorf("token for %s: %w", service, err)
	}
	return t, nil
}

// longest bounds what is read of a file, in bytes.
const longest = 64 << 10

func read(file string) (Token, error) {
	info, err := os.Stat(file)
	if err != nil {
		return Token{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > longest {
		return Token{}, fmt.Errorf("%s is no file of a token: remove it", file)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return Token{}, err
	}
	var t Token
	if json.Unmarshal(raw, &t) != nil { // its error could quote the token
		return Token{}, fmt.Errorf("%s is damaged: remove it", file)
	}
	return t, nil
}
