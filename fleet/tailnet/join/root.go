package join

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// asks runs a command as root without asking, or fails.
var asks = []string{"sudo", "-n", "--"}

// sudo tells why nothing can be done as root here, nil when it can.
func (b *berth) sudo(ctx context.Context) error {
	if os.Geteuid() == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if exec.CommandContext(ctx, asks[0], append(asks[1:], "true")...).Run() != nil {
		return errors.New("it takes root, or a sudo that asks for no password")
	}
	return nil
}

// words are a command's, such that root runs it.
func words(argv ...string) []string {
	if os.Geteuid() == 0 {
		return argv
	}
	return append(append([]string{}, asks...), argv...)
}

// asRoot is a command that root runs.
func (b *berth) asRoot(ctx context.Context, argv ...string) *exec.Cmd {
	return command(ctx, words(argv...))
}

func command(ctx context.Context, argv []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	return cmd
}

// tailscale is a command to the ship's tailscaled, which obeys the user that runs it.
func (b *berth) tailscale(ctx context.Context, programs programs, args ...string) *exec.Cmd {
	argv := append([]string{programs.command, "--socket=" + b.socket}, args...)
	if ownedByOther(b.socket) {
		argv = words(argv...)
	}
	return command(ctx, argv)
}
