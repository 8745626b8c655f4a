// Package hosts makes ships on machines that the captain already owns, which are reached as
// ~/.ssh/config says. A host may carry several: each is a directory to live in, an SSH server of
// its own at a Unix socket, and walls around both where bubblewrap works there. On the host,
// package local does all that, run by ocaptain's own program, which is brought there.
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

// Options say which hosts there are and what is brought there.
type Options struct {
	// Hosts returns the entries of the configuration as they now are. It is asked at every call.
	Hosts func() ([]string, error)

	// Config is the file where they are, for advice.
	Config string

	// State is a directory for what is remembered of ships and their hosts. It is made when missing.
	State string

	// Home is the captain's, with .ssh in it. Nothing is written there.
	Home string

	// Runtime is a directory for sockets that the user alone can use.
	Runtime string

	// AgentFile is where openssh.Remember left the captain's ssh-agent, for a process that has none.
	AgentFile string

	// Program returns ocaptain's program for an operating system and architecture, and the digest
	// of its content.
	Program func(ctx context.Context, os, arch string) (path, digest string, err error)
}

// Provider makes ships on the captain's hosts. Several processes may use one State at the same time.
type Provider struct {
	options  Options
	captain  *openssh.Captain
	machines sync.Map // entry → kind: what the host is
	bringing sync.Map // entry → channel: who brings the program there
}

var _ provider.Provider = (*Provider)(nil)

// New returns a provider. It connects nowhere.
func New(options Options) (*Provider, error) {
	if options.Hosts == nil || options.State == "" || options.Runtime == "" || options.Home == "" || options.Program == nil {
		return nil, errors.New("the hosts provider needs hosts, directories, a home and a program")
	}
	captain := &openssh.Captain{Home: options.Home, Runtime: options.Runtime, Agents: func() []string {
		return []string{os.Getenv("SSH_AUTH_SOCK"), openssh.Remembered(options.AgentFile)}
	}}
	return &Provider{options: options, captain: captain}, nil
}

// Name is "hosts".
func (p *Provider) Name() string { return "hosts" }

// Limits are those of local ships, which they are on their host.
func (p *Provider) Limits() provider.Limits {
	return provider.Limits{NameMax: nameMax, NamePattern: namePattern, Dial: dialTime}
}

// Get returns one machine, or provider.ErrNotFound. It asks the machine's host alone.
func (p *Provider) Get(ctx context.Context, name string) (provider.Machine, error) {
	r, err := p.load(name)
	if err != nil {
		return provider.Machine{}, err
	}
	return p.askForMachine(ctx, r, request{Do: doGet, Name: name})
}

// List returns the machines that have all the labels. A host that cannot be reached hides no other:
// this install's machines there are in the list with the state Unknown and a note that says why.
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

// believable reports whether a machine of a host's list was requested, and is not on record at
// another host.
func believable(m provider.Machine, e Entry, labels map[string]string, records []record) bool {
	elsewhere := slices.ContainsFunc(records, func(r record) bool { return r.Name == m.Name && r.Host != e.String() })
	return provider.Includes(m.Labels, labels) && !elsewhere
}

// machineAt is a machine as its host tells of it, with the host.
func machineAt(e Entry, m provider.Machine) provider.Machine {
	m.ID, m.Addr = e.String()+"/"+m.ID, "" // only the host can dial it
	return m
}

// entries are the hosts as they are configured now.
func (p *Provider) entries() ([]Entry, error) {
	texts, err := p.options.Hosts()
	if err != nil {
		return nil, err
	}
	return ParseAll(texts)
}

// Dial connects to the host and from there to where the ship's server is now.
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
		// sshd says the same when it may not connect and when nothing answers.
		return nil, &provider.Temporary{Err: fmt.Errorf("ship %s: %w: %w", name, err, errForwarding)}
	}
	return conn, err
}
