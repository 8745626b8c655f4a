// Package local makes machines on this machine: each is a directory with an SSH server of its own at a Unix socket,
// both in a sandbox if bubblewrap works.
package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"slices"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/fleet/private"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local/sandbox"
)

// Options say where ships live and what they may see.
type Options struct {
	// Root is the directory that contains one for each ship. It is made if it is missing.
	Root string

	// Runtime is the directory for the socket of each ship's SSH server, and for one directory per ship for the ship's
	// own sockets; so its path must be short. Only the captain may enter it. It is made if it is missing. Default: .run
	// in Root.
	Runtime string

	// Exe and Args start a program that calls Serve. Default: this program, with the arguments "aboard sshd".
	Exe  string
	Args []string

	// Digest is that of Exe's content if ships may use Exe as their own program, too.
	Digest string

	// Confine says whether ships must be, may be or are not sandboxed.
	Confine Confine

	// ReadOnly are files and directories of the captain that every sandboxed ship may read.
	ReadOnly []string

	// Bind returns what the captain shows to sandboxed ships in addition, as sandbox.ParseBind returned it. It is called
	// when a ship is made; nil means nothing.
	Bind func() ([]string, error) `json:"-"`

	// Hide are directories that a sandboxed ship must not see, even inside a directory of Bind.
	Hide []string

	// Expose returns TCP ports of this machine's loopback that sandboxed ships reach at their own loopback. It is called
	// whenever a ship starts; nil means none.
	Expose func() ([]int, error) `json:"-"`

	// Bounds returns the limits of sandboxed ships. It is called whenever a ship starts and, for the disk, at intervals.
	// Nil means the defaults.
	Bounds func() (sandbox.Bounds, error) `json:"-"`

	// Nested reports whether programs on sandboxed ships may make user namespaces, which they need for sandboxes of their
	// own. It is called whenever a ship starts; nil means no.
	Nested func() (bool, error) `json:"-"`

	// Path is the PATH of ships. Default: the directories in this process's PATH that the ship sees, and the standard
	// ones.
	Path string

	// Env is added to the environment of ships, which contains nothing else from this process.
	Env map[string]string
}

// Confine says how ships are sandboxed.
type Confine int

const (
	// IfPossible sandboxes ships if that works; if not, Machine.Note says why.
	IfPossible Confine = iota
	// Always makes Create fail if sandboxes do not work.
	Always
	// Never gives ships all rights of the captain.
	Never
)

// Provider makes ships on this machine. Several processes may use the same Root at the same time.
type Provider struct {
	options Options
	dirs    dirs
	captain sandbox.User
	disk    *disk
}

var _ provider.Provider = (*Provider)(nil)

// New returns a provider. It starts nothing. It panics in a program that was started as a ship's server and has not called Serve.
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
	// A sandbox needs real paths, without symbolic links.
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
	if slices.Equal(os.Args[1:], options.Args) { // this process is the server of a ship: if it made ships, their servers would make more
		panic(fmt.Sprintf("%q starts a ship's server: main, or TestMain, must call local.Serve then", os.Args))
	}
	if options.Runtime == "" {
		if options.Runtime, err = private.SocketDir(filepath.Join(options.Root, ".run"), 37); err != nil {
			return nil, err
		}
	}
	return &Provider{options: options, dirs: dirs{root: options.Root, runtime: options.Runtime}, captain: sandbox.Captain(me.Username), disk: &disk{gauges: map[string]*gauge{}}}, nil
}

// Name returns "local".
func (p *Provider) Name() string { return "local" }

// Limits allows names that are valid as directory and host names.
func (p *Provider) Limits() provider.Limits {
	return provider.Limits{NameMax: 63, NamePattern: namePattern}
}

// Get returns one machine, or provider.ErrNotFound.
func (p *Provider) Get(_ context.Context, name string) (provider.Machine, error) {
	r, err := p.dirs.load(name)
	if err != nil {
		return provider.Machine{}, err
	}
	return p.machine(r), nil
}

// List returns the machines that have all the labels.
func (p *Provider) List(ctx context.Context, labels map[string]string) ([]provider.Machine, error) {
	entries, err := os.ReadDir(p.dirs.root)
	if err != nil {
		return nil, fmt.Errorf("list local ships: %w", err)
	}
	var found []provider.Machine
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, err := p.dirs.load(e.Name())
		if errors.Is(err, provider.ErrNotFound) {
			continue // it is being made, or not ours
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

// Dial connects to the current socket of the ship's server, which may differ from that in m.
func (p *Provider) Dial(ctx context.Context, m provider.Machine) (net.Conn, error) {
	r, err := p.dirs.load(m.Name)
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", p.dirs.place(r).socket)
	if err != nil {
		if failed, ok := errors.AsType[*net.OpError](err); ok {
			err = failed.Err // without the path of the socket
		}
		return nil, &provider.Temporary{Err: fmt.Errorf("the SSH server of local ship %s does not answer: %w", m.Name, err)}
	}
	return conn, nil
}

// Serve is run by the program in Options.Exe: it is the ship's SSH server, or prepares the ship's network.
func Serve(ctx context.Context) error {
	if asked, err := sandbox.CloseAddresses(); asked {
		return err
	}
	return sshd.Serve(ctx)
}
