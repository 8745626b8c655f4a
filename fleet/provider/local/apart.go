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

// RunApart runs this provider's program with other words, behind the walls of a ship that is none, without a network, and
// ends all that it started. It sees what every ship sees, and no directory of its own but /tmp. Its standard input is what
// is said and then stays open, so that it sees when this process ends. Where there are no walls it runs without; note says why.
func (p *Provider) RunApart(ctx context.Context, args []string, said []byte, stdout, stderr io.Writer) (note string, err error) {
	_, box, remove, err := p.trial()
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
		return "without walls: " + why.Error(), runApart(p.openCommand(ctx, args), said, stdout, stderr)
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
	c.Env = append(c.Env, "HOME=/tmp")
	return "", runApart(c.Cmd, said, stdout, stderr)
}

// openCommand is the command without walls, in a process group that ends with it.
func (p *Provider) openCommand(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.options.Exe, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd
}

func runApart(cmd *exec.Cmd, said []byte, stdout, stderr io.Writer) error {
	cmd.Stdout, cmd.Stderr = stdout, stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	_, wrote := stdin.Write(said) // one that ended before it was told has an error of its own
	return cmp.Or(cmd.Wait(), wrote)
}
