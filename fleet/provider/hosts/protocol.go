package hosts

import (
	"errors"
	"fmt"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
)

// request is a request to a host: one line of JSON on the program's input.
type request struct {
	Do     string            `json:"do"`
	Name   string            `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Key    string            `json:"key,omitempty"` // public key that may log in
	Walled bool              `json:"walled,omitempty"`
}

// The kinds of requests.
const (
	doCreate  = "create"
	doList    = "list"
	doGet     = "get"
	doEnsure  = "ensure"
	doDestroy = "destroy" // destroy the ship only if it has these labels
)

// answer is the answer to a request, also one line of JSON.
type answer struct {
	Machine  *provider.Machine  `json:"machine,omitempty"`
	Machines []provider.Machine `json:"machines"`       // not null in a list
	Done     bool               `json:"done,omitempty"` // the ship was destroyed
	Error    string             `json:"error,omitempty"`
	Kind     string             `json:"kind,omitempty"` // kind of the error
}

// Kinds of errors that callers distinguish.
const (
	kindMissing   = "missing"
	kindTaken     = "taken"
	kindTemporary = "temporary"
)

// failure returns the answer for an error.
func failure(err error) answer {
	a := answer{Error: err.Error()}
	var temporary *provider.Temporary
	switch {
	case errors.Is(err, provider.ErrNotFound):
		a.Kind = kindMissing
	case errors.Is(err, provider.ErrTaken):
		a.Kind = kindTaken
	case errors.As(err, &temporary):
		a.Kind = kindTemporary
	}
	return a
}

// checkAnswer returns the error that an answer carries, and rejects impossible values.
func (a *answer) checkAnswer(e Entry, what request) error {
	if a.Error != "" {
		switch a.Kind {
		case kindMissing:
			return fmt.Errorf("ship %s on host %s: %w", what.Name, e, provider.ErrNotFound)
		case kindTaken:
			return fmt.Errorf("ship %s on host %s: %w", what.Name, e, provider.ErrTaken)
		}
		err := fmt.Errorf("host %s: %s", e, openssh.ShortLine(a.Error))
		if a.Kind == kindTemporary {
			return &provider.Temporary{Err: err}
		}
		return err
	}
	all := a.Machines
	switch what.Do {
	case doCreate, doGet, doEnsure:
		if a.Machine == nil || a.Machine.Name != what.Name {
			return fmt.Errorf("host %s: it answers, but not about ship %s", e, what.Name)
		}
		all = append(all, *a.Machine)
	case doList:
		if all == nil {
			return fmt.Errorf("host %s: its answer is no list of ships", e)
		}
	case doDestroy:
		if !a.Done {
			return fmt.Errorf("host %s: it answers, and not that ship %s is destroyed", e, what.Name)
		}
	}
	for i, m := range all {
		if !isValidName(m.Name) || m.User == "" {
			return fmt.Errorf("host %s: it tells of a ship that cannot be: %.100q", e, m.Name)
		}
		if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(m.HostKey)); err != nil {
			return fmt.Errorf("host %s: it tells no host key of ship %s", e, m.Name)
		}
		if m.Note != "" {
			all[i].Note = openssh.ShortLine(m.Note)
		}
	}
	if a.Machine != nil {
		*a.Machine = all[len(all)-1]
	}
	return nil
}
