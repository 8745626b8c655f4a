// Package logins finds what ships and helm log in with, at agents' services, providers, the tailnet and the embeddings service, where the
// captain has it, and proves it.
package logins

import (
	"context"
	"errors"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/mix"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
)

// Found holds the logins of an order that helm needs. The logins of agents, which ships get, are not among them.
type Found struct {
	providers []describe.Login
	tailnet   tailnet.Credentials // without a secret, ships join no tailnet
	service   string              // name of the embeddings service, "" for none
	meaning   tokens.Token        // key of the embeddings service
}

// Captain returns where the logins of providers are found.
func Captain(hub fleet.Hub, c config.Config) describe.Captain {
	return describe.Captain{
		Hub: hub, Install: func() (string, error) { return install.ID(hub) }, Variable: c.Variable,
		Setting: func(key string) (value, from string) { return c.Text(key), c.SourceOf(key) },
	}
}

// FindProviders finds the logins for the providers of a mix.
func (f *Found) FindProviders(m mix.Mix, hub fleet.Hub, c config.Config) *problem.Problem {
	for _, p := range m {
		find := registry.Of(p.Provider).Login
		if find == nil {
			continue
		}
		l, err := find(Captain(hub, c))
		if err != nil {
			return loginProblem(err)
		}
		f.providers = append(f.providers, l)
	}
	return nil
}

// FindTailnet finds the tailnet secret, if ships of a mix are to join.
func (f *Found) FindTailnet(m mix.Mix, hub fleet.Hub, c config.Config) (p *problem.Problem) {
	if JoinsTailnet(m) {
		f.tailnet, _, p = Tailnet(hub, c)
	}
	return p
}

// FindEmbeddings finds the key of the embeddings service, and returns the name of the service, "" when none is configured.
func (f *Found) FindEmbeddings(hub fleet.Hub, c config.Config) (string, *problem.Problem) {
	s, own, _, p := Embeddings(hub, c)
	if s.Name != "" {
		f.service, f.meaning = s.Name, own
	}
	return s.Name, p
}

// loginProblem says why there is no login for a provider.
func loginProblem(err error) *problem.Problem {
	p := &problem.Problem{Kind: problem.Failed, Field: problem.Provider, Err: err}
	var f *describe.Fault
	if errors.As(err, &f) {
		p.Hint = f.Fix
		switch {
		case f.Refused:
			p.Kind = problem.Refused
		case !f.Unreached:
			p.Kind = problem.Missing
		}
	}
	return p
}

// Prove checks that providers accept their logins, before anything is made.
func (f *Found) Prove(ctx context.Context) error {
	for _, l := range f.providers {
		if _, err := l.Prove(ctx); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			return loginProblem(err)
		}
	}
	return nil
}

// Keep stores the logins at the hub, where helm finds them.
func (f *Found) Keep(hub fleet.Hub) error {
	for _, l := range f.providers {
		if err := l.Keep(); err != nil {
			return loginProblem(err)
		}
	}
	if f.tailnet.Secret == "" && f.service == "" {
		return nil
	}
	if err := hub.Make(); err != nil {
		return err
	}
	var joins, key error
	if f.tailnet.Secret != "" {
		joins = install.KeepTailnet(hub, f.tailnet)
	}
	if f.service != "" {
		key = tokens.StoreOf(hub).KeepToken(f.service, f.meaning)
	}
	return errors.Join(joins, key)
}
