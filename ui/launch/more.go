package launch

import (
	"cmp"
	"context"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/mix"
	"ocaptain/ui/launch/logins"
	"ocaptain/ui/launch/places"
	"ocaptain/ui/launch/problem"
)

// More is a wish for more ships of a voyage under way. Empty fields take the value of the other ships.
type More struct {
	Provider string // a mix of providers, in the form of --provider
	Agent    string
	Version  string // version of the agent
}

// Addition is a checked More.
type Addition struct {
	Mix     mix.Mix
	Agent   string           // "" for the agent of the other ships
	Release packages.Release // of Agent
	Secrets map[string]string
	Env     map[string]string
}

// CheckMore checks that the providers of a mix accept more ships of a voyage under way, and that their agent can log in, and stores the
// logins for helm.
func (y Yard) CheckMore(ctx context.Context, m More, v fleet.Voyage) (*Addition, error) {
	d := y.newDraft(Wish{Provider: cmp.Or(m.Provider, v.Provider), Unconfined: v.Unconfined})
	for _, step := range []func() *problem.Problem{d.configured, d.provider, d.logins, d.tailnet} {
		if p := step(); p != nil {
			return nil, p
		}
	}
	o := d.order
	out := &Addition{Mix: o.Mix}
	var err error
	o.Own, o.session = v.Custom, v.SessionSpec
	if o.Agent, err = agent.Find(v.Agent, v.Custom); err != nil {
		return nil, err
	}
	if m.Agent != "" && m.Agent != v.Agent {
		if err := y.anotherAgent(ctx, d, m, out); err != nil {
			return nil, err
		}
	}
	if err := places.CheckTools(ctx, o.Mix); err != nil {
		return nil, err
	}
	if err := y.places(ctx, d); err != nil {
		return nil, err
	}
	if err := o.logins.Admitted(ctx, y.Hub); err != nil {
		return nil, err
	}
	if o.Unwalled != nil {
		return nil, problem.New(problem.Refused, problem.Unconfined, "to confine them: "+o.Walling(),
			"agents %s could do whatever you can, and you did not agree to that when the voyage set sail: they cannot be confined (%w)", o.SharedPlaces(), o.Unwalled)
	}
	return out, o.logins.Keep(y.Hub)
}

// anotherAgent finds the release and the login of an agent that the voyage did not begin with.
func (y Yard) anotherAgent(ctx context.Context, d *draft, m More, out *Addition) error {
	a, err := agent.Lookup(m.Agent)
	if err != nil && d.config.CustomAgent(m.Agent) != nil {
		return problem.New(problem.Usage, problem.Agent, "sail another voyage with it", "agent %s is of your own, and ships get such an agent when they set sail only", clean.Word(m.Agent))
	}
	if err != nil {
		return problem.New(problem.Usage, problem.Agent, "", "%w", err)
	}
	if out.Release, _, err = y.provenRelease(ctx, a, cmp.Or(m.Version, d.config.AgentVersion(a.Name))); err != nil {
		return err
	}
	login, p := logins.OfAgent(a, d.config)
	if p != nil {
		return p
	}
	out.Agent, out.Secrets, out.Env = a.Name, login, logins.OpenEnv(d.config)
	d.order.Agent, d.order.Own, d.order.session = a.At(out.Release), nil, fleet.SessionSpec{}
	return nil
}
