// Package provider is the contract of the places that machines come from.
package provider

import (
	"context"
	"errors"
	"net"
	"time"
)

// Provider makes, finds and destroys machines. The caller chooses names, which are unique within an
// install; machines carry labels so that no install touches another's machine.
//
// Every call has a deadline from ctx. Errors say whether trying again can help: see Temporary.
// providertest checks this contract on every provider.
type Provider interface {
	// Name is the word that the captain uses: local, hosts.
	Name() string

	// Limits tells what names and numbers the provider allows.
	Limits() Limits

	// Create makes a machine and returns when its SSH server answers. It is
	// idempotent: when a machine of that name with the same labels is already
	// there, also after an attempt whose answer was lost, it is adopted, and lets in
	// the key of this Spec. A machine of that name with other labels is ErrTaken.
	// When ctx ends in the middle, a machine may be left; List shows it.
	Create(ctx context.Context, spec Spec) (Machine, error)

	// List returns the machines whose labels include all of those given. What answers, and does not tell a whole list, is an
	// error: it says nothing about what there is. So it is with whatever looks for a machine.
	List(ctx context.Context, labels map[string]string) ([]Machine, error)

	// Get returns one machine, or ErrNotFound.
	Get(ctx context.Context, name string) (Machine, error)

	// Ensure brings back a machine that stopped, with its files, and returns its
	// present address. A machine that no longer exists is ErrNotFound. Idempotent.
	Ensure(ctx context.Context, name string) (Machine, error)

	// Destroy removes the machine and everything on it. Nil is proof: the provider confirmed it and
	// no longer lists the machine, or no machine of that name was ever requested. ErrNotFound says
	// that no such machine is listed, which proves nothing by itself: lists lack what is there, and
	// lag. ErrTaken says that the name belongs to a machine that is not ours. The record of the
	// machine stays, so that later calls can look for it again, until Forget.
	Destroy(ctx context.Context, name string) error

	// Forget drops what is kept here of a machine that is proven to be gone. Nothing kept is fine.
	Forget(ctx context.Context, name string) error

	// Dial opens a connection to the machine's SSH server, wherever it is now: m
	// may have been stored before the machine moved to another address.
	Dial(ctx context.Context, m Machine) (net.Conn, error)
}

// Spec describes a machine to be made.
type Spec struct {
	Name          string
	Labels        map[string]string // install and voyage among them
	AuthorizedKey string            // public key, in authorized_keys format

	// Waits, if not nil, is called with the reason when Create waits before it asks again.
	Waits func(why string) `json:"-"`

	// Walled says that a machine that shares another one must be confined there, or not be made.
	Walled bool
}

// Wait tells why Create waits.
func (s Spec) Wait(why error) {
	if s.Waits != nil {
		s.Waits(why.Error())
	}
}

// Machine is what a provider knows about one machine. It can be stored as JSON.
type Machine struct {
	Name    string            `json:"name"`
	ID      string            `json:"id"`                // the provider's own id
	Addr    string            `json:"addr,omitempty"`    // host:port of the SSH server, or path of its Unix socket, where there is one
	User    string            `json:"user"`              // to log in as
	HostKey string            `json:"hostKey,omitempty"` // public host key in authorized_keys format, when the provider knows it
	Labels  map[string]string `json:"labels,omitempty"`
	State   State             `json:"state"`
	Created time.Time         `json:"created,omitzero"`
	Note    string            `json:"note,omitempty"` // what the captain should know, e.g. "not confined: …"
}

// Includes reports whether labels include some others.
func Includes(labels, some map[string]string) bool {
	for k, v := range some {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// State is what the provider says of a machine.
type State string

// The states of a machine. Words that a provider adds later read as Unknown.
const (
	Creating State = "creating"
	Running  State = "running"
	Paused   State = "paused" // wakes when it is dialled
	Stopped  State = "stopped"
	Unknown  State = "unknown"
)

// Limits are a provider's rules.
type Limits struct {
	NameMax     int    // longest name
	NamePattern string // regular expression that names match
	Machines    int    // most machines at once, 0 for no limit known
	Parallel    int    // most creates at once, 0 for no limit
	// Late is how long after it was asked for a machine may still be made whose request was cut off, and may come back that
	// was destroyed. 0 is for a provider where neither happens.
	Late time.Duration
	Dial time.Duration // how long Dial may take, 0 for as long as any network takes
}

// The errors that callers tell apart with errors.Is.
var (
	ErrNotFound = errors.New("no such machine")
	ErrTaken    = errors.New("the name is taken by a machine that is not ours")
	ErrNoLogin  = errors.New("no login yet")
	ErrLogin    = errors.New("the login is denied") // until the captain gives another
)

// IsDenied reports whether an error says that the provider takes no login of the captain's, which only the captain can change.
func IsDenied(err error) bool { return errors.Is(err, ErrLogin) || errors.Is(err, ErrNoLogin) }

// Temporary marks an error that trying again may cure, and when.
type Temporary struct {
	Err   error
	After time.Duration // what the service asked for, 0 when it did not
}

func (t *Temporary) Error() string { return t.Err.Error() }
func (t *Temporary) Unwrap() error { return t.Err }
