package local

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"ocaptain/fleet/provider/local/sandbox"
)

// ending is how long a program without a sandbox may take to end what it started.
const ending = 30 * time.Second

// RunApart runs this provider's program with args in a sandbox like that of a ship, without a network, and kills
// everything that it has started. The program sees what every ship sees, and no other directory than /tmp. Its standard
// input is said, and stays open after that, so that it notices when this process ends. If sandboxes are not possible, it
// runs without one, must end what it has started when its input ends, and note says why.
func (p *Provider) RunApart(ctx context.Context, args []string, said []byte, stdout, stderr io.Writer) (note string, err error) {
	at, box, remove, err := p.trial(ctx)
	if err != nil {
		return "", err
	}
	defer remove()
	why := errors.New("switched off")
	if p.options.Confine != Never {
		why = box.Check(ctx)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if why != nil {
		cmd := exec.CommandContext(ctx, p.options.Exe, args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Env = p.apartEnviron(at, at.Home, false)
		note = "without walls: " + why.Error()
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return note, err
		}
		cmd.Cancel, cmd.WaitDelay = stdin.Close, ending
		return note, runApart(cmd, stdin, said, stdout, stderr)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return "", err
	}
	c, err := box.Command(ctx, sandbox.NoNetwork(), append([]string{sandbox.Program}, args...), null)
	if err != nil {
		return "", err
	}
	defer c.Close()
	c.Env = p.apartEnviron(at, "/tmp", true)
	stdin, err := c.StdinPipe()
	if err != nil {
		return "", err
	}
	return "", runApart(c.Cmd, stdin, said, stdout, stderr)
}

// apartEnviron returns the whole environment of a program that runs apart. It finds programs where ships do, and has nothing that
// would lead an agent to the captain's account.
func (p *Provider) apartEnviron(at sandbox.Place, home string, confined bool) []string {
	return []string{at.Marker(), "PATH=" + p.path(&record{}, confined), "HOME=" + home, "LANG=C.UTF-8"}
}

func runApart(cmd *exec.Cmd, stdin io.Writer, said []byte, stdout, stderr io.Writer) error {
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	_, wrote := stdin.Write(said) // a process that has ended without reading its input returns an error of its own
	return cmp.Or(cmd.Wait(), wrote)
}
