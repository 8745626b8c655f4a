package launch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm"
	"ocaptain/fleet/provider/hosts"
)

// looking bounds the look at all hosts.
const looking = time.Minute

// Hosts looks at all hosts that are configured, and tells helm where the captain's ssh-agent is.
func Hosts(ctx context.Context, hub fleet.Hub, list []string) ([]hosts.Look, error) {
	if err := hub.Make(); err != nil {
		return nil, err
	}
	none := func(context.Context, string, string) (string, string, error) {
		return "", "", errors.New("a look needs no program")
	}
	p, err := helm.Hosts(hub, func() ([]string, error) { return list, nil }, none)
	if err != nil {
		return nil, err
	}
	if err := helm.RememberAgent(hub); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, looking)
	defer cancel()
	return p.Look(ctx)
}

// hosts makes sure that the ships of an order will find their hosts ready, before anything is made.
func (y Yard) hosts(ctx context.Context, d *draft) error {
	if !d.order.Mix.Has("hosts") {
		return nil
	}
	if len(d.config.Hosts) == 0 {
		return problem(Usage, Provider, "name them in config.yaml, like: hosts: [user@host]", "no hosts are configured")
	}
	looks, err := Hosts(ctx, y.Hub, d.config.Hosts)
	if err != nil {
		return err
	}
	var wrong, archs []string
	var open error
	for _, l := range looks {
		if l.Err == nil {
			archs = append(archs, l.Arch)
		}
		switch lacking, _ := l.Lacks(); {
		case l.Err != nil:
			wrong = append(wrong, l.Err.Error())
		case len(lacking) > 0:
			wrong = append(wrong, fmt.Sprintf("host %s: install there: %s", l.Host, strings.Join(lacking, ", ")))
		case l.Walls != "" && open == nil:
			open = fmt.Errorf("host %s: %s", l.Host, l.Walls)
		}
	}
	if len(wrong) > 0 {
		return problem(Missing, Provider, "cure that, or take the host out of config.yaml", "%s", strings.Join(wrong, "\n"))
	}
	if err := Programs(y.Hub, archs...); err != nil {
		return err
	}
	if d.order.Agent.Roams() && !d.order.Unconfined { // else it runs nothing but what the plan says, or somebody agreed
		d.order.unwalled(onHosts, open)
	}
	return nil
}

// onHosts is where the captain's hosts are, in words.
const onHosts = "on your hosts"
