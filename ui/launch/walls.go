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

// checkConfinement finds out whether the order's agents can be sandboxed on this machine.
func (y Yard) checkConfinement(ctx context.Context, o *Order) error {
	if o.isHere() && o.runsModel() && !o.Unconfined {
		o.unwalled(registry.Here().Where, Confinement(ctx, y.Hub))
	}
	return ctx.Err()
}

// isHere reports whether some of the order's ships are on this machine.
func (o *Order) isHere() bool { return o.Mix.Has(registry.Here().Name) }

// agents returns the agents of all ships, each once.
func (o *Order) agents() ([]agent.Agent, error) {
	v := fleet.Voyage{Agent: o.Agent.Name, Custom: o.Own, SessionSpec: o.session}
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
	here := Walling()
	if !slices.ContainsFunc(o.open, func(where string) bool { return where != registry.Here().Where }) {
		return here
	}
	if len(o.open) > 1 && here != "" {
		return here + ", and install bubblewrap on the host"
	}
	return "install bubblewrap on the host"
}

// Confinement returns nil when local ships will run in a sandbox, or why they will not.
func Confinement(ctx context.Context, hub fleet.Hub) error {
	p, err := localShips(hub)
	if err != nil {
		return err
	}
	return p.Confinement(ctx)
}

// VisibleDirs returns the directories of this machine that sandboxed ships see, and the directories of PATH that they
// do not.
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

// Bounds returns the limits of sandboxed ships on this machine, and by what means their memory is limited, "" for none, or
// why it is not.
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

// Walling returns the command that installs a sandbox, "" when there is none.
func Walling() string {
	if runtime.GOOS == "darwin" {
		return ""
	}
	return Install("bubblewrap")
}

// Install returns the command that installs a package on this machine.
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
