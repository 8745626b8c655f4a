package launch

import (
	"context"
	"errors"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
)

// Captain returns where the logins of providers are found.
func Captain(hub fleet.Hub, c config.Config) describe.Captain {
	return describe.Captain{
		Hub: hub, Install: func() (string, error) { return install.ID(hub) }, Variable: c.Variable,
		Setting: func(key string) (value, from string) { return c.Text(key), c.SourceOf(key) },
	}
}

// logins finds the logins for the providers of an order.
func (d *draft) logins() *problem.Problem {
	for _, p := range d.order.Mix {
		find := registry.Of(p.Provider).Login
		if find == nil {
			continue
		}
		l, err := find(Captain(d.yard.Hub, d.config))
		if err != nil {
			return loginProblem(err)
		}
		d.order.logins = append(d.order.logins, l)
	}
	return nil
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

// proveLogins checks that providers accept the logins, before anything is made.
func (o *Order) proveLogins(ctx context.Context) error {
	for _, l := range o.logins {
		if _, err := l.Prove(ctx); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			return loginProblem(err)
		}
	}
	return nil
}

// keepLogins stores the logins at the hub, where helm finds them.
func (o *Order) keepLogins() error {
	for _, l := range o.logins {
		if err := l.Keep(); err != nil {
			return loginProblem(err)
		}
	}
	return nil
}
