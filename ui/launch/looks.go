package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/words"
)

// looking is the time limit for examining all machines of a provider.
const looking = 2 * time.Minute

// placesOf returns a describe.Places that examines the existing machines of a provider, nil for a provider that makes
// its machines.
func placesOf(hub fleet.Hub, d describe.Provider, c config.Config) (describe.Places, error) {
	if d.Places == nil {
		return nil, nil
	}
	if err := hub.Make(); err != nil {
		return nil, err
	}
	none := func(context.Context, string, string) (string, string, error) {
		return "", "", errors.New("a look needs no program")
	}
	return d.Places(describe.Env{Hub: hub, Program: none, Settings: settingsOf(func() (config.Config, error) { return c, nil })})
}

// Look examines all configured machines of a provider, and tells helm where the captain's ssh-agent is. It returns none for a provider
// that makes its machines.
func Look(ctx context.Context, hub fleet.Hub, d describe.Provider, c config.Config) ([]describe.Place, error) {
	p, err := placesOf(hub, d, c)
	if p == nil || err != nil {
		return nil, err
	}
	if err := openssh.RememberOwn(hub.State); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, looking)
	defer cancel()
	return p.Look(ctx)
}

// checkRoom checks that the machines of a provider have room for so many more ships.
func (y Yard) checkRoom(d describe.Provider, ships int, c config.Config) error {
	p, err := placesOf(y.Hub, d, c)
	if p == nil || err != nil {
		return err
	}
	room, bounded, err := p.FreeShips()
	if err != nil || !bounded || ships <= room {
		return err
	}
	return problem.New(problem.Usage, problem.Provider, "allow more behind the *, name another host, or sink some",
		"%s cannot go to your %s, which may have %d more (%[2]s is from %[4]s)", words.Counted(ships, "ship"), d.Name, room, c.SourceOf(d.Name))
}

// checkPlaces checks that the machines for the ships of an order are ready, before anything is made.
func (y Yard) checkPlaces(ctx context.Context, d *draft) error {
	for _, part := range d.order.Mix {
		p := registry.Of(part.Provider)
		if p.Places == nil {
			continue
		}
		if d.config.Text(p.Name) == "" {
			return problem.New(problem.Usage, problem.Provider, "name them in "+y.Hub.ConfigFile()+", like: "+p.Sample, "no %s are configured", p.Name)
		}
		if err := y.checkRoom(p, cmp.Or(part.Ships, d.order.Ships, 1), d.config); err != nil {
			return err
		}
		if err := y.checkLooks(ctx, p, d); err != nil {
			return err
		}
	}
	return nil
}

// checkLooks examines the machines of a provider, and checks that they can have ships.
func (y Yard) checkLooks(ctx context.Context, p describe.Provider, d *draft) error {
	looks, err := Look(ctx, y.Hub, p, d.config)
	if err != nil {
		return err
	}
	var wrong, archs []string
	var open error
	for _, l := range looks {
		if l.Err == nil {
			archs = append(archs, l.Arch)
		}
		switch {
		case l.Err != nil:
			wrong = append(wrong, l.Err.Error())
		case len(l.Missing) > 0:
			wrong = append(wrong, fmt.Sprintf("%s: install there: %s", l.Name, strings.Join(l.Missing, ", ")))
		case l.Walls != "" && open == nil:
			open = fmt.Errorf("%s: %s", l.Name, l.Walls)
		}
	}
	if len(wrong) > 0 {
		return problem.New(problem.Missing, problem.Provider, "cure that, or take the host out of "+y.Hub.ConfigFile(), "%s", strings.Join(wrong, "\n"))
	}
	if err := Programs(y.Hub, archs...); err != nil {
		return err
	}
	if d.order.runsModel() && !d.order.Unconfined { // otherwise the agent runs only commands of the plan, or the captain has agreed
		d.order.unwalled(p.Where, open)
	}
	return nil
}
