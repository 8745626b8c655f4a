package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/hosts"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/words"
)

// looking bounds the look at all hosts.
const looking = 2 * time.Minute

// LookAtHosts looks at all hosts that are configured, and tells helm where the captain's ssh-agent is.
func LookAtHosts(ctx context.Context, hub fleet.Hub, list []string) ([]hosts.Look, error) {
	p, err := atHosts(hub, list)
	if err != nil {
		return nil, err
	}
	if err := openssh.RememberOwn(hub.State); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, looking)
	defer cancel()
	return p.LookAtAll(ctx)
}

func atHosts(hub fleet.Hub, list []string) (*hosts.Provider, error) {
	if err := hub.Make(); err != nil {
		return nil, err
	}
	none := func(context.Context, string, string) (string, string, error) {
		return "", "", errors.New("a look needs no program")
	}
	return hosts.Of(describe.Env{Hub: hub, Program: none, Settings: describe.Settings{Hosts: func() ([]string, error) { return list, nil }}})
}

// hostsHold makes sure that the hosts may have so many more ships.
func (y Yard) hostsHold(ships int, c config.Config) error {
	p, err := atHosts(y.Hub, c.Hosts)
	if err != nil {
		return err
	}
	room, bounded, err := p.FreeShips()
	if err != nil || !bounded || ships <= room {
		return err
	}
	return problem(Usage, Provider, "allow more behind the *, name another host, or sink some",
		"%s cannot go to your hosts, which may have %d more (hosts is from %s)", words.Counted(ships, "ship"), room, c.SourceOf("hosts"))
}

// checkHosts makes sure that the ships of an order will find their hosts ready, before anything is made.
func (y Yard) checkHosts(ctx context.Context, d *draft) error {
	if !d.order.Mix.Has(hosts.Descriptor.Name) {
		return nil
	}
	if len(d.config.Hosts) == 0 {
		return problem(Usage, Provider, "name them in "+y.Hub.ConfigFile()+", like: hosts: [user@host]", "no hosts are configured")
	}
	at := slices.IndexFunc(d.order.Mix, func(p fleet.Part) bool { return p.Provider == hosts.Descriptor.Name })
	if err := y.hostsHold(cmp.Or(d.order.Mix[at].Ships, d.order.Ships, 1), d.config); err != nil {
		return err
	}
	looks, err := LookAtHosts(ctx, y.Hub, d.config.Hosts)
	if err != nil {
		return err
	}
	var wrong, archs []string
	var open error
	for _, l := range looks {
		if l.Err == nil {
			archs = append(archs, l.Arch)
		}
		switch lacking, _ := l.MissingPrograms(); {
		case l.Err != nil:
			wrong = append(wrong, l.Err.Error())
		case len(lacking) > 0:
			wrong = append(wrong, fmt.Sprintf("host %s: install there: %s", l.Host, strings.Join(lacking, ", ")))
		case l.Walls != "" && open == nil:
			open = fmt.Errorf("host %s: %s", l.Host, l.Walls)
		}
	}
	if len(wrong) > 0 {
		return problem(Missing, Provider, "cure that, or take the host out of "+y.Hub.ConfigFile(), "%s", strings.Join(wrong, "\n"))
	}
	if err := Programs(y.Hub, archs...); err != nil {
		return err
	}
	if d.order.runsModel() && !d.order.Unconfined { // else it runs nothing but what the plan says, or somebody agreed
		d.order.unwalled(hosts.Descriptor.Where, open)
	}
	return nil
}
