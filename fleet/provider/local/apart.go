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

// ending is how long what runs without walls has to end what it started.
const ending = 30 * time.Second

// RunApart runs this provider's program with other words, behind the walls of a ship that is none, without a network, and
// ends all that it started. It sees what every ship sees, and no directory of its own but /tmp. Its standard input is what
// is said and then stays open, so that it sees when this process ends. Where there are no walls it runs without, is to end
// what it started when its input ends, and note says why.
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

// apartEnviron is the whole environment of what runs apart: programs are found where ships find them, and nothing of the captain's
// leads an agent to his account.
func (p *Provider) apartEnviron(at sandbox.Place, home string, confined bool) []string {
	return []string{at.Marker(), "PATH=" + p.path(&record{}, confined), "HOME=" + home, "LANG=C.UTF-8"}
}

func runApart(cmd *exec.Cmd, stdin io.Writer, said []byte, stdout, stderr io.Writer) error {
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	_, wrote := stdin.Write(said) // a process that ended before it read its input has an error of its own
	return cmp.Or(cmd.Wait(), wrote)
}
