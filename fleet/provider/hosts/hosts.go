// Package hosts makes ships on machines that the captain already owns, and reaches them as ~/.ssh/config says. A host
// may have several ships. Each is a directory with an SSH server of its own at a Unix socket, both in a sandbox if
// bubblewrap works on the host. On the host, package local makes the ships. It runs in ocaptain's own program, which
// this package installs there.
package hosts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
)

// Options say which hosts there are and what to install there.
type Options struct {
	// Hosts returns the current entries of the configuration. It is called at every request.
	Hosts func() ([]string, error)

	// Config is the path of the file with the entries, for advice in errors.
	Config string

	// State is the directory for records of ships and their hosts. It is made if it is missing.
	State string

	// Home is the captain's home, which contains .ssh. The provider writes nothing there.
	Home string

	// Runtime is a directory for sockets that only this user can access.
	Runtime string

	// AgentFile is the file in which openssh.Remember stored the captain's ssh-agent, for a process without one.
	AgentFile string

	// Program returns the path of the ocaptain program for an operating system and architecture, and the digest of its
	// content.
	Program func(ctx context.Context, os, arch string) (path, digest string, err error)
}

// Provider makes ships on the captain's hosts. Several processes may use the same State at the same time.
type Provider struct {
	options  Options
	captain  *openssh.Captain
	machines sync.Map // by Entry: the kind of the host
	bringing sync.Map // by Entry: a channel that is held while the program is being installed there
}

var _ provider.Provider = (*Provider)(nil)

// New returns a provider. It does not connect.
func New(options Options) (*Provider, error) {
	if options.Hosts == nil || options.State == "" || options.Runtime == "" || options.Home == "" || options.Program == nil {
		return nil, errors.New("the hosts provider needs hosts, directories, a home and a program")
	}
	captain := &openssh.Captain{Home: options.Home, Runtime: options.Runtime, Agents: func() []string {
		return []string{os.Getenv("SSH_AUTH_SOCK"), openssh.Remembered(options.AgentFile)}
	}}
	return &Provider{options: options, captain: captain}, nil
}

// Name returns "hosts".
func (p *Provider) Name() string { return "hosts" }

// Limits returns the limits of local ships, as the ships are local on their host.
func (p *Provider) Limits() provider.Limits {
	return provider.Limits{NameMax: nameMax, NamePattern: namePattern, Dial: dialTime}
}

// Get returns one machine, or provider.ErrNotFound. It asks only the machine's host.
func (p *Provider) Get(ctx context.Context, name string) (provider.Machine, error) {
	r, err := p.load(name)
	if err != nil {
		return provider.Machine{}, err
	}
	return p.askForMachine(ctx, r, request{Do: doGet, Name: name})
}

// List returns the machines that have all the labels. If a host is out of reach, its machines of this install are in
// the list with the state Unknown and a note that says why.
func (p *Provider) List(ctx context.Context, labels map[string]string) ([]provider.Machine, error) {
	all, records, err := p.ashore()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var found []provider.Machine
	var asked sync.WaitGroup
	for _, e := range all {
		asked.Go(func() {
			a, err := p.callHost(ctx, e, request{Do: doList, Labels: labels})
			mu.Lock()
			defer mu.Unlock()
			for _, m := range a.Machines {
				if believable(m, e, labels, records) {
					found = append(found, machineAt(e, m))
				}
			}
			for _, r := range records {
				if err != nil && r.Host == e.String() && provider.Includes(r.Labels, labels) {
					found = append(found, provider.Machine{Name: r.Name, ID: r.Host, Labels: r.Labels, State: provider.Unknown, Note: err.Error()})
				}
			}
		})
	}
	asked.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.SortFunc(found, func(a, b provider.Machine) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return found, nil
}

// believable reports whether a machine in a host's list was requested, and has no record at another host.
func believable(m provider.Machine, e Entry, labels map[string]string, records []record) bool {
	elsewhere := slices.ContainsFunc(records, func(r record) bool { return r.Name == m.Name && r.Host != e.String() })
	return provider.Includes(m.Labels, labels) && !elsewhere
}

// machineAt returns a machine as its host describes it, with the host added.
func machineAt(e Entry, m provider.Machine) provider.Machine {
	m.ID, m.Addr = e.String()+"/"+m.ID, "" // only the host itself can use the address
	return m
}

// entries returns the hosts that are configured now.
func (p *Provider) entries() ([]Entry, error) {
	texts, err := p.options.Hosts()
	if err != nil {
		return nil, err
	}
	return ParseAll(texts)
}

// Dial connects to the host, and from there to the current address of the ship's server.
func (p *Provider) Dial(ctx context.Context, m provider.Machine) (net.Conn, error) {
	r, err := p.load(m.Name)
	if err != nil {
		return nil, err
	}
	e, err := Parse(r.Host)
	if err != nil {
		return nil, err
	}
	c, err := p.captain.Connect(ctx, e.loginPlace())
	if err != nil {
		return nil, err
	}
	conn, err := p.tunnel(ctx, c, e, m.Name)
	if err != nil {
		c.Close()
	}
	return conn, err
}

func (p *Provider) tunnel(ctx context.Context, c *openssh.Conn, e Entry, name string) (net.Conn, error) {
	a, err := p.callOver(ctx, c, e, request{Do: doGet, Name: name})
	if err != nil {
		return nil, err
	}
	conn, err := c.Dial(ctx, a.Machine.Addr)
	var later *provider.Temporary
	if errors.As(err, &later) && ctx.Err() == nil && a.Machine.State == provider.Running {
		// sshd reports the same when it may not forward and when nothing answers.
		return nil, &provider.Temporary{Err: fmt.Errorf("ship %s: %w: %w", name, err, errForwarding)}
	}
	return conn, err
}
