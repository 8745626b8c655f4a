package launch

import (
	"context"
	"os/exec"
	"runtime"

	"ocaptain/fleet"
	"ocaptain/fleet/helm"
)

// walls tells why the order's agents cannot be confined on this machine, or nil.
func (y Yard) walls(ctx context.Context, o *Order) error {
	if !o.Agent.Roams() || o.Unconfined {
		return nil
	}
	return Confinement(ctx, y.Hub)
}

// Confinement tells whether local ships will be confined: nil, or why not.
func Confinement(ctx context.Context, hub fleet.Hub) error {
	if err := hub.Make(); err != nil {
		return err
	}
	p, err := helm.Local(hub, "")
	if err != nil {
		return err
	}
	return p.Confinement(ctx)
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
