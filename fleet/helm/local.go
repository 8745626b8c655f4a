package helm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/provider/local"
)

// Local is the provider of ships on this machine; exe is the program that they run.
// They may read the agents that the hub has fetched and what is bound, reach the ports that are exposed, and nothing else
// of the captain's.
func Local(h fleet.Hub, exe string, places Places) (*local.Provider, error) {
	if err := os.MkdirAll(h.Cache, 0o755); err != nil {
		return nil, err
	}
	return local.New(local.Options{
		Root:     filepath.Join(h.State, "ships"),
		Exe:      exe,
		Args:     []string{"aboard", "sshd"},
		Hide:     []string{h.State, h.Voyages, h.Config},
		ReadOnly: []string{h.Cache},
		Bind:     places.Bind,
		Expose:   places.Expose,
		Env:      map[string]string{"OCAPTAIN_AGENTS": h.Cache},
	})
}

// Fetch brings an agent to the hub, where all ships on this machine find it. One that
// is there already costs nothing.
func Fetch(ctx context.Context, h fleet.Hub, a agent.Agent) error {
	if a.Install == nil {
		return nil
	}
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	script, err := a.Install(machine)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "ocaptain-fetch-") // the ships' part of the script is not for the captain's home
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	cmd := exec.CommandContext(ctx, "/bin/sh", "-s")
	cmd.Stdin = strings.NewReader("umask 022\n" + script) // ships of the superuser are other users
	cmd.Env = append(os.Environ(), "HOME="+home, "OCAPTAIN_AGENTS="+h.Cache)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // npm too ends with ctx
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fetch %s: %w: %s", a.Name, err, tail(string(out), 500))
	}
	return nil
}
