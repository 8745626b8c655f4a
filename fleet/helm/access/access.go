// Package access is how helm gets machines and reaches them: providers, records of machines, keys and the tailnet.
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

// Access is how helm gets machines, and how it reaches them.
type Access struct {
	Hub       fleet.Hub
	Install   string // the id of this install
	Key       ssh.Signer
	Providers map[string]provider.Provider
	made      map[string]provider.Provider // as they were made, without the keeper of machines
	Here      Shower                       // of this machine, nil where ships see all of it
	tailscale install.Tailscale
	creates   map[string]chan struct{} // by provider: places for calls that make a machine
	Machines  *machines.Keeper         // of all providers
	Program   describe.Program
	Net       *tailnet.Net
	JoinFrom  JoinFrom
}

// Open returns the access of this install. The program is what helm brings aboard of ships. told learns how each attempt to destroy a
// machine ended. proof is how far apart two looks in vain must be to prove that a machine, or its device on the tailnet, is gone: 0 for what
// is usual.
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
	for name, p := range a.made { // there is no way past the keeper
		a.Providers[name] = a.Machines.Use(p)
	}
	return a, nil
}

// Close ends what providers keep open.
func (a *Access) Close() { install.Close(a.made) }

// Watch has the providers that look after their machines do so until ctx ends. run runs each.
func (a *Access) Watch(ctx context.Context, run func(func())) {
	for _, p := range a.made {
		if w, ok := p.(watcher); ok {
			run(func() { w.Watch(ctx) })
		}
	}
}

// watcher is a provider that looks after its machines.
type watcher interface{ Watch(ctx context.Context) }

// Shower is a provider whose ships see a part of the captain's machine.
type Shower interface {
	// Unshown returns the directories of a program of the captain's that ships do not see.
	Unshown(program string) (dirs []string, err error)
}

// Link is the configuration of a connection to a ship.
func (a *Access) Link(f *fleet.Ship, dial func(context.Context) (net.Conn, error)) link.Config {
	c := link.Config{
		Name: f.Name, User: f.Machine.User, HostKey: f.HostKeys(), Signers: a.Signers(), Dial: dial,
	}
	if p := a.Providers[f.Provider]; p != nil {
		c.DialTimeout = p.Limits().Dial
	}
	return c
}

// Signers are the keys with which helm logs in.
func (a *Access) Signers() []ssh.Signer { return []ssh.Signer{a.Key} }

// Labels mark the machines of a voyage as this install's.
func (a *Access) Labels(d fleet.Dir) map[string]string {
	return map[string]string{provider.Install: a.Install, "voyage": d.ID()}
}
