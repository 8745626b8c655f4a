// Package provider defines the contract of providers, from which machines come.
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
// Every call has a deadline from ctx. Errors say whether a retry may help: see Temporary. Package providertest checks
// this contract for every provider.
type Provider interface {
	// Name is the captain's word for the provider, such as local or hosts.
	Name() string

	// Limits returns which names and numbers the provider allows.
	Limits() Limits

	// Create makes a machine and returns once its SSH server answers. It is idempotent: if a machine of that name with
	// the same labels exists, for example after an attempt whose answer was lost, Create adopts it and lets in the key of
	// this Spec. If a machine of that name has other labels, it returns ErrTaken. If ctx ends in the middle, a machine
	// may be left behind; List shows it.
	Create(ctx context.Context, spec Spec) (Machine, error)

	// List returns the machines whose labels include all the given ones. An incomplete list is an error, since it does not
	// show which machines exist. The same is true for all calls that look for a machine.
	List(ctx context.Context, labels map[string]string) ([]Machine, error)

	// Get returns one machine, or ErrNotFound.
	Get(ctx context.Context, name string) (Machine, error)

	// Ensure brings back a machine that stopped, with its files, and returns its present address. It returns ErrNotFound
	// if the machine no longer exists. It is idempotent.
	Ensure(ctx context.Context, name string) (Machine, error)

	// Destroy removes the machine and everything on it. Nil is proof that it is gone: the provider has confirmed it and
	// no longer lists the machine, or no machine of that name was ever requested. ErrNotFound means that no such machine
	// is listed, which alone proves nothing, since lists lag and may lack machines. ErrTaken means that the name belongs
	// to a machine that is not ours. The record of the machine stays until Forget, so that later calls can look for it
	// again.
	Destroy(ctx context.Context, name string) error

	// Forget removes all local records of a machine that is proven to be gone. It is no error if there are none.
	Forget(ctx context.Context, name string) error

	// Dial connects to the machine's current SSH server: m may be older than its current address.
	Dial(ctx context.Context, m Machine) (net.Conn, error)
}

// Spec describes a machine to be made.
type Spec struct {
	Name          string
	Labels        map[string]string // including install and voyage
	AuthorizedKey string            // public key, in authorized_keys format

	// Waits, if not nil, is called with the reason whenever Create waits before a retry.
	Waits func(why string) `json:"-"`

	// Walled says that a machine inside another machine must be sandboxed there, or not be made.
	Walled bool
}

// Wait reports why Create waits.
func (s Spec) Wait(why error) {
	if s.Waits != nil {
		s.Waits(why.Error())
	}
}

// Machine is what a provider knows about one machine. It can be stored as JSON.
type Machine struct {
	Name    string            `json:"name"`
	ID      string            `json:"id"`                // the provider's own id
	Addr    string            `json:"addr,omitempty"`    // host:port of the SSH server, or the path of its Unix socket, if there is one
	User    string            `json:"user"`              // to log in as
	HostKey string            `json:"hostKey,omitempty"` // public host key in authorized_keys format, if the provider knows it
	Labels  map[string]string `json:"labels,omitempty"`
	State   State             `json:"state"`
	Created time.Time         `json:"created,omitzero"`
	Note    string            `json:"note,omitempty"` // what the captain should know, such as "not confined: …"
}

// Includes reports whether labels include all of some.
func Includes(labels, some map[string]string) bool {
	for k, v := range some {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// State is a machine's state according to the provider.
type State string

// The states of a machine. Unknown stands for words that a provider may add later.
const (
	Creating State = "creating"
	Running  State = "running"
	Paused   State = "paused" // wakes up when it is dialled
	Stopped  State = "stopped"
	Unknown  State = "unknown"
)

// Limits are the rules of a provider.
type Limits struct {
	NameMax     int    // length of the longest name
	NamePattern string // regular expression that names must match
	Machines    int    // the most machines at the same time, 0 if unknown
	Parallel    int    // the most calls of Create at the same time, 0 for any number
	// Late is how long after a request a machine may still be made although the request was cut off, or may come back
	// although it was destroyed. It is 0 for a provider where neither happens.
	Late time.Duration
	Dial time.Duration // how long Dial may take, 0 for the time of an ordinary network
}

// Errors of providers, for errors.Is.
var (
	ErrNotFound = errors.New("no such machine")
	ErrTaken    = errors.New("the name is taken by a machine that is not ours")
	ErrNoLogin  = errors.New("no login yet")
	ErrLogin    = errors.New("the login is denied") // until the captain changes the login
)

// IsDenied reports whether an error means that the provider accepts no login of the captain, which only the captain can
// change.
func IsDenied(err error) bool { return errors.Is(err, ErrLogin) || errors.Is(err, ErrNoLogin) }

// Temporary is an error that a retry may solve, and says when to retry.
type Temporary struct {
	Err   error
	After time.Duration // the pause that the service asked for, 0 if it did not
}

func (t *Temporary) Error() string { return t.Err.Error() }
func (t *Temporary) Unwrap() error { return t.Err }
