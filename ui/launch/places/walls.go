// Package places says what this machine and the captain's hosts have for ships: programs, walls, networks and room.
package places

import (
	"context"
	"os/exec"
	"runtime"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/local/sandbox"
)

// Confinement returns nil when local ships will run in a sandbox, or why they will not.
func Confinement(ctx context.Context, hub fleet.Hub) error {
	p, err := Local(hub)
	if err != nil {
		return err
	}
	return p.Confinement(ctx)
}

// VisibleDirs returns the directories of this machine that sandboxed ships see, and the directories of PATH that they
// do not.
func VisibleDirs(hub fleet.Hub) (seen, unseen []string, err error) {
	p, err := Local(hub)
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
	p, err := Local(hub)
	if err != nil {
		return most, "", nil, err
	}
	return p.Bounds(ctx)
}

// Local returns the provider of ships on this machine.
func Local(hub fleet.Hub) (*local.Provider, error) {
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
