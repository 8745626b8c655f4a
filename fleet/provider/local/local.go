// Package local makes machines on this one: each is a directory to live in, an SSH
// server of its own at a Unix socket, and walls around both where bubblewrap works.
package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/fleet/private"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local/sandbox"
)

// Options say where ships live and what they may see.
type Options struct {
	// Root holds a directory per ship. It is made when missing.
	Root string

	// Runtime holds the socket of each ship's SSH server, and a directory per ship for its own sockets,
	// so its name must be short. Only the captain may enter it. It is made when missing. Default: .run
	// in Root.
	Runtime string

	// Exe and Args start a program that calls Serve. Default: this program, with
	// the words "aboard sshd".
	Exe  string
	Args []string

	// Confine says whether ships must be, may be or are not confined.
	Confine Confine

	// ReadOnly are files and directories of the captain's that every confined ship may read.
	ReadOnly []string

	// Bind returns what the captain shows to confined ships besides: names that sandbox.ParseBind returned.
	// It is asked when a ship is made, and nil means nothing.
	Bind func() ([]string, error) `json:"-"`

	// Hide are directories that a confined ship must not see, even inside a directory of Bind.
	Hide []string

	// Expose returns the TCP ports of this machine's loopback that confined ships reach at their own. It is asked
	// whenever a ship starts. Nil for none.
	Expose func() ([]int, error) `json:"-"`

	// Bounds returns what confined ships may take of this machine. It is asked whenever a ship starts, and for the disk
	// again and again. Nil for the defaults.
	Bounds func() (sandbox.Bounds, error) `json:"-"`

	// Nested tells whether programs on confined ships may make user namespaces, as sandboxes of their own need. It is asked
	// whenever a ship starts. Nil for no.
	Nested func() (bool, error) `json:"-"`

	// Path is the ships' PATH. Default: the directories of this process's PATH that the
	// ship sees, and the standard ones.
	Path string

	// Env is added to the ships' environment, which has nothing else of this process's.
	Env map[string]string
}

// Confine is how much a ship may do to the machine that it is on.
type Confine int

const (
	// IfPossible confines where that works; elsewhere Machine.Note says why not.
	IfPossible Confine = iota
	// Always fails where it does not work.
	Always
	// Never gives ships the captain's own rights.
	Never
)

// Provider makes ships on this machine. Several processes may use one Root at the same time.
type Provider struct {
	options Options
	captain sandbox.User
	disk    *disk
}

var _ provider.Provider = (*Provider)(nil)

// New returns a provider. It starts nothing.
func New(options Options) (*Provider, error) {
	me, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("who am I: %w", err)
	}
	if options.Root == "" {
		return nil, errors.New("the local provider needs a directory for its ships")
	}
	if err := os.MkdirAll(options.Root, 0o700); err != nil {
		return nil, fmt.Errorf("directory for local ships: %w", err)
	}
	// Walls are built around real names, not around symbolic links.
	for _, dir := range []*string{&options.Root, &options.Exe} {
		if *dir == "" {
			continue
		}
		if *dir, err = filepath.Abs(*dir); err != nil {
			return nil, err
		}
		if *dir, err = filepath.EvalSymlinks(*dir); err != nil {
			return nil, err
		}
	}
	if options.Exe == "" {
		if options.Exe, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
	}
	if options.Args == nil {
		options.Args = []string{"aboard", "sshd"}
	}
	if options.Runtime == "" {
		if options.Runtime, err = private.SocketDir(filepath.Join(options.Root, ".run"), 37); err != nil {
			return nil, err
		}
	}
	return &Provider{options: options, captain: sandbox.Captain(me.Username), disk: &disk{gauges: map[string]*gauge{}}}, nil
}

// Name is "local".
func (p *Provider) Name() string { return "local" }

// Limits allows names that are good as directory and host names.
func (p *Provider) Limits() provider.Limits {
	return provider.Limits{NameMax: 63, NamePattern: namePattern}
}

// Get returns one machine, or provider.ErrNotFound.
func (p *Provider) Get(_ context.Context, name string) (provider.Machine, error) {
	r, err := p.load(name)
	if err != nil {
		return provider.Machine{}, err
	}
	return p.machine(r), nil
}

// List returns the machines that have all the labels.
func (p *Provider) List(ctx context.Context, labels map[string]string) ([]provider.Machine, error) {
	entries, err := os.ReadDir(p.options.Root)
	if err != nil {
		return nil, fmt.Errorf("list local ships: %w", err)
	}
	var found []provider.Machine
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, err := p.load(e.Name())
		if errors.Is(err, provider.ErrNotFound) {
			continue // being made, or none of ours
		}
		if err != nil {
			return nil, err
		}
		if provider.Includes(r.Labels, labels) {
			found = append(found, p.machine(r))
		}
	}
	return found, nil
}

// Dial connects to where the ship's server is now, which need not be where it
// was when m was asked for.
func (p *Provider) Dial(ctx context.Context, m provider.Machine) (net.Conn, error) {
	r, err := p.load(m.Name)
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", p.place(r).socket)
	if err != nil {
		return nil, &provider.Temporary{Err: fmt.Errorf("dial local ship %s: %w", m.Name, err)}
	}
	return conn, nil
}

// Serve is what the program that Options.Exe names runs: the ship's SSH server, or what prepares the ship's network.
func Serve(ctx context.Context) error {
	if asked, err := sandbox.CloseAddresses(); asked {
		return err
	}
	return sshd.Serve(ctx)
}
