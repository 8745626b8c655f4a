package launch

import (
	"context"
	"errors"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/mix"
)

// CheckMore makes sure that the providers of a mix, as text, will take more ships of a voyage that
// sails, and leaves helm what it needs to ask them. It returns the mix.
func (y Yard) CheckMore(ctx context.Context, text string, v fleet.Voyage) (mix.Mix, error) {
	d := y.newDraft(Wish{Provider: text, Unconfined: v.Unconfined})
	for _, step := range []func() *Problem{d.configured, d.provider, d.logins, d.tailnetSecret} {
		if p := step(); p != nil {
			return nil, p
		}
	}
	o := d.order
	var err error
	o.Own, o.session = v.Custom, v.SessionSpec
	if o.Agent, err = agent.Find(v.Agent, v.Custom); err != nil {
		return nil, err
	}
	if err := y.checkTools(ctx, o.Mix); err != nil {
		return nil, err
	}
	if err := y.places(ctx, d); err != nil {
		return nil, err
	}
	if err := y.admitted(ctx, o); err != nil {
		return nil, err
	}
	if o.Unwalled != nil {
		return nil, problem(Refused, Unconfined, "to confine them: "+o.Walling(),
			"agents %s could do whatever you can, and nobody agreed to that when the voyage set sail: they cannot be confined (%w)", o.SharedPlaces(), o.Unwalled)
	}
	return o.Mix, errors.Join(o.keepLogins(), y.keepTailnet(o))
}

// places looks at every place that ships of an order come from.
func (y Yard) places(ctx context.Context, d *draft) error {
	if err := Programs(y.Hub, Architectures(d.order.Mix)...); err != nil {
		return err
	}
	if err := y.checkPlaces(ctx, d); err != nil {
		return err
	}
	if err := d.order.proveLogins(ctx); err != nil {
		return err
	}
	if err := y.checkConfinement(ctx, d.order); err != nil {
		return err
	}
	return y.reached(ctx, d)
}
