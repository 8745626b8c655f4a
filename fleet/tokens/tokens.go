// Package tokens keeps on the hub the secrets that open accounts of services, so that helm can use them while the
// captain is away. Each service has a file of its own, which only this user may read.
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

// Token opens an account of a service. It prints as a word in place of its secret.
type Token struct {
	Secret string `json:"token,omitempty"`
	URL    string `json:"url,omitempty"` // address of the service, "" for the usual address
	Tag    string `json:"tag,omitempty"` // tag of the machines that are made with it, where the service has tags; "" for the usual tag

	// Command is a program that is logged in to Account, and takes the place of a secret.
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

// GoString returns String, for the verb %#v.
func (t Token) GoString() string { return t.String() }

// LogValue returns String, for package slog.
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

// Store is the directory of a hub's tokens.
type Store struct{ state string }

// StoreOf returns the hub's store, which need not exist yet.
func StoreOf(h fleet.Hub) Store { return Store{h.State} }

// Dir returns the directory of all tokens.
func (s Store) Dir() string { return filepath.Join(s.state, "tokens") }

// File returns the path of the file for a service's token, which need not exist. The captain may remove the file.
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

// ReadToken returns the token for a service; a Token without a Secret when none is kept. It reads the file at each
// call, so that a changed token takes effect at once.
func (s Store) ReadToken(service string) (Token, error) {
	t, err := read(s.File(service))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Token{}, fmt.Errorf("token for %s: %w", service, err)
	}
	return t, nil
}

// longest is the limit of a file's size, in bytes.
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
