package launch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/provider/registry"
	"ocaptain/ui/launch/places"
)

// places checks every provider that ships of an order come from.
func (y Yard) places(ctx context.Context, d *draft) error {
	o := d.order
	if err := places.Programs(y.Hub, places.Architectures(o.Mix)...); err != nil {
		return err
	}
	open, err := places.Check(ctx, y.Hub, o.Mix, o.Ships, d.config)
	if err != nil {
		return err
	}
	confined := o.runsModel() && !o.Unconfined // otherwise the agent runs only commands of the plan, or the captain has agreed
	for _, place := range open {
		if confined {
			o.unwalled(place.Where, place.Why)
		}
	}
	if err := o.logins.Prove(ctx); err != nil {
		return err
	}
	if confined && o.isHere() {
		o.unwalled(registry.Here().Where, places.Confinement(ctx, y.Hub))
	}
	if ctx.Err() != nil || !confined || !o.isHere() || o.Unwalled != nil { // agents without walls reach every port
		return ctx.Err()
	}
	all, err := o.agents()
	if err != nil {
		return err
	}
	return places.Reached(ctx, y.Hub, all, o.env, d.config.Local.Expose)
}

// isHere reports whether some of the order's ships are on this machine.
func (o *Order) isHere() bool { return o.Mix.Has(registry.Here().Name) }

// agents returns the agents of all ships, each once.
func (o *Order) agents() ([]agent.Agent, error) {
	v := fleet.Voyage{AgentChoice: fleet.AgentChoice{Agent: o.Agent.Name, Custom: o.Own}, SessionSpec: o.session}
	return v.Agents()
}

// runsModel reports whether any agent acts for a model.
func (o *Order) runsModel() bool {
	all, err := o.agents()
	return err != nil || slices.ContainsFunc(all, agent.Agent.RunsModel)
}

// unwalled notes why agents cannot be sandboxed at a place; a nil why means that they can be.
func (o *Order) unwalled(where string, why error) {
	switch {
	case why == nil:
		return
	case o.Unwalled == nil:
		o.Unwalled = why
	default:
		o.Unwalled = fmt.Errorf("%w; %w", o.Unwalled, why)
	}
	o.open = append(o.open, where)
}

// SharedPlaces lists in words the places that an order's agents share with others and where no sandbox holds them.
func (o *Order) SharedPlaces() string {
	if len(o.open) == 0 {
		return registry.Here().Where
	}
	return strings.Join(o.open, " and ")
}

// Walling returns how to install a sandbox for the order's agents, "" when that is impossible.
func (o *Order) Walling() string {
	here := places.Walling()
	if !slices.ContainsFunc(o.open, func(where string) bool { return where != registry.Here().Where }) {
		return here
	}
	if len(o.open) > 1 && here != "" {
		return here + ", and install bubblewrap on the host"
	}
	return "install bubblewrap on the host"
}
