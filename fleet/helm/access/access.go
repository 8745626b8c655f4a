// Package access knows how helm gets machines and reaches them: providers, records of machines, keys and the tailnet.
package access

import (
	"context"
	"net"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/install"
	"ocaptain/fleet/link"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/tailnet"
)

// Access gives helm access to machines.
type Access struct {
	Hub       fleet.Hub
	Install   string // the id of this install
	Key       ssh.Signer
	Providers map[string]provider.Provider
	made      map[string]provider.Provider // the providers without the keeper of machines around them
	Here      Shower                       // the provider of ships on this machine, nil if those see all of it
	tailscale install.Tailscale
	creates   map[string]chan struct{} // by provider: a slot for each call that may make a machine at the same time
	Machines  *machines.Keeper         // records the machines of all providers
	Program   describe.Program
	Net       *tailnet.Net
	JoinFrom  JoinFrom
}

// Open returns the Access of this install. program is what helm installs on ships. told is called with the result of each attempt to destroy
// a machine. proof is the minimum time between two failed lookups that prove that a machine, or its device on the tailnet, is gone; 0 means
// the default.
func Open(hub fleet.Hub, program supervise.Binary, settings describe.Settings, proof time.Duration, told func(machines.Record, error)) (*Access, error) {
	a := &Access{Hub: hub, Net: install.Tailnet(), JoinFrom: joinFromEnv(), tailscale: install.Tailscale{Hub: hub}}
	var err error
	if a.Key, err = install.Key(hub); err != nil {
		return nil, err
	}
	env, err := install.Env(hub, program, settings)
	if err != nil {
		return nil, err
	}
	a.Install, a.Program = env.Install, env.Program
	if a.made, err = install.Providers(env); err != nil {
		return nil, err
	}
	a.creates = roomFor(a.made)
	a.Here, _ = a.made[registry.Here().Name].(Shower)
	a.Machines = machines.New(machines.Options{Records: machines.Of(a.Hub), Install: a.Install, Proof: proof, Tailnet: a.tailscale.Ask, Told: told})
	a.Providers = map[string]provider.Provider{}
	for name, p := range a.made { // callers get providers only by way of the keeper
		a.Providers[name] = a.Machines.Use(p)
	}
	return a, nil
}

// Close closes the providers.
func (a *Access) Close() { install.Close(a.made) }

// Watch lets the providers that watch their machines do so until ctx ends. run starts each of them.
func (a *Access) Watch(ctx context.Context, run func(func())) {
	for _, p := range a.made {
		if w, ok := p.(watcher); ok {
			run(func() { w.Watch(ctx) })
		}
	}
}

// watcher is a provider that watches its machines.
type watcher interface{ Watch(ctx context.Context) }

// Shower is a provider whose ships can see a part of the captain's machine.
type Shower interface {
	// Unshown returns the directories that a program of the captain needs and ships do not see.
	Unshown(program string) (dirs []string, err error)
}

// Link returns the configuration of a connection to a ship.
func (a *Access) Link(f *fleet.Ship, dial func(context.Context) (net.Conn, error)) link.Config {
	c := link.Config{
		Name: f.Name, User: f.Machine.User, HostKey: f.HostKeys(), Signers: a.Signers(), Dial: dial,
	}
	if p := a.Providers[f.Provider]; p != nil {
		c.DialTimeout = p.Limits().Dial
	}
	return c
}

// Signers returns the keys with which helm logs in to ships.
func (a *Access) Signers() []ssh.Signer { return []ssh.Signer{a.Key} }

// Labels returns the labels for the machines of a voyage, which mark them as this install's.
func (a *Access) Labels(d fleet.Dir) map[string]string {
	return map[string]string{provider.Install: a.Install, "voyage": d.ID()}
}
