package launch

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/fleet/provider/registry"
)

// checkConfinement finds out whether the order's agents can be confined on this machine.
func (y Yard) checkConfinement(ctx context.Context, o *Order) error {
	if o.isHere() && o.runsModel() && !o.Unconfined {
		o.unwalled(registry.Here().Where, Confinement(ctx, y.Hub))
	}
	return ctx.Err()
}

// isHere reports whether some of the order's ships are on this machine.
func (o *Order) isHere() bool { return o.Mix.Has(registry.Here().Name) }

// agents are those of all ships, each once.
func (o *Order) agents() ([]agent.Agent, error) {
	v := fleet.Voyage{Agent: o.Agent.Name, Custom: o.Own, SessionSpec: o.session}
	return v.Agents()
}

// runsModel reports whether any agent does what a model says.
func (o *Order) runsModel() bool {
	all, err := o.agents()
	return err != nil || slices.ContainsFunc(all, agent.Agent.RunsModel)
}

// unwalled notes why agents cannot be confined at a place; nil says that they can be.
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

// SharedPlaces are the places that an order's agents share with others and where nothing confines them, in words.
func (o *Order) SharedPlaces() string {
	if len(o.open) == 0 {
		return registry.Here().Where
	}
	return strings.Join(o.open, " and ")
}

// Walling is how to get what confines the order's agents, "" where nothing can.
func (o *Order) Walling() string {
	here := Walling()
	if !slices.ContainsFunc(o.open, func(where string) bool { return where != registry.Here().Where }) {
		return here
	}
	if len(o.open) > 1 && here != "" {
		return here + ", and install bubblewrap on the host"
	}
	return "install bubblewrap on the host"
}

// Confinement tells whether local ships will be confined: nil, or why not.
func Confinement(ctx context.Context, hub fleet.Hub) error {
	p, err := localShips(hub)
	if err != nil {
		return err
	}
	return p.Confinement(ctx)
}

// VisibleDirs tells which directories of this machine confined ships see, and which of PATH they do not.
func VisibleDirs(hub fleet.Hub) (seen, unseen []string, err error) {
	p, err := localShips(hub)
	if err != nil {
		return nil, nil, err
	}
	if seen, err = p.Sees(); err == nil {
		unseen, err = p.Unseen()
	}
	return seen, unseen, err
}

// Bounds are what confined ships on this machine may take of it, and by what means their memory is bounded: none, or why not.
func Bounds(ctx context.Context, hub fleet.Hub) (most sandbox.Bounds, means string, why, err error) {
	p, err := localShips(hub)
	if err != nil {
		return most, "", nil, err
	}
	return p.Bounds(ctx)
}

func localShips(hub fleet.Hub) (*local.Provider, error) {
	if err := hub.Make(); err != nil {
		return nil, err
	}
	return local.Of(describe.Env{Hub: hub, Settings: Settings(hub)})
}

// Walling is the command that installs what confines agents, "" where nothing can.
func Walling() string {
	if runtime.GOOS == "darwin" {
		return ""
	}
	return Install("bubblewrap")
}

// Install is the command that installs a package on this machine.
func Install(pkg string) string {
	if runtime.GOOS == "darwin" {
		return "brew install " + pkg
	}
	for _, m := range []struct{ program, command string }{
		{"apt-get", "sudo apt-get install -y "},
		{"dnf", "sudo dnf install -y "},
		{"pacman", "sudo pacman -S "},
		{"apk", "sudo apk add "},
	} {
		if _, err := exec.LookPath(m.program); err == nil {
			return m.command + pkg
		}
	}
	return "install " + pkg
}
