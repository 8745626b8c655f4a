package places

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/mix"
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
func checkRoom(hub fleet.Hub, d describe.Provider, ships int, c config.Config) error {
	p, err := placesOf(hub, d, c)
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

// Open is a place whose agents no sandbox can hold.
type Open struct {
	Where string // in words
	Why   error
}

// Check checks that the machines for ships of a mix are ready, before anything is made, and returns those without a sandbox. A part of the mix
// without a number has that many ships.
func Check(ctx context.Context, hub fleet.Hub, m mix.Mix, ships int, c config.Config) (open []Open, err error) {
	for _, part := range m {
		p := registry.Of(part.Provider)
		if p.Places == nil {
			continue
		}
		if c.Text(p.Name) == "" {
			return nil, problem.New(problem.Usage, problem.Provider, "name them in "+hub.ConfigFile()+", like: "+p.Sample, "no %s are configured", p.Name)
		}
		if err := checkRoom(hub, p, cmp.Or(part.Ships, ships, 1), c); err != nil {
			return nil, err
		}
		why, err := checkLooks(ctx, hub, p, c)
		if err != nil {
			return nil, err
		}
		if why != nil {
			open = append(open, Open{p.Where, why})
		}
	}
	return open, nil
}

// checkLooks examines the machines of a provider, and checks that they can have ships. It returns why some have no sandbox, nil when all have.
func checkLooks(ctx context.Context, hub fleet.Hub, p describe.Provider, c config.Config) (open, err error) {
	looks, err := Look(ctx, hub, p, c)
	if err != nil {
		return nil, err
	}
	var wrong, archs []string
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
		return nil, problem.New(problem.Missing, problem.Provider, "cure that, or take the host out of "+hub.ConfigFile(), "%s", strings.Join(wrong, "\n"))
	}
	return open, Programs(hub, archs...)
}
