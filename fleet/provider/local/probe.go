package local

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// Network tells whether ships made now will have networks of their own, if they are confined: nil, or why not.
func (p *Provider) Network(ctx context.Context) error {
	at, wall, remove, err := p.trial()
	if err != nil {
		return err
	}
	defer remove()
	own, err := p.newNetwork(at)
	if err != nil {
		return err
	}
	own.exe = nil
	if wall.bwrap, err = exec.LookPath("bwrap"); err != nil {
		return err
	}
	filter, err := keysFilter()
	if err != nil {
		return err
	}
	defer filter.Close()
	info, told, err := infoPipe()
	if err != nil {
		return err
	}
	defer info.Close()
	defer told.Close()
	life, held, err := os.Pipe()
	if err != nil {
		return err
	}
	defer life.Close()
	defer held.Close()
	argv := wall.argv(4, append(own.arguments(), "--info-fd", "3"), []string{"cat"})
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.ExtraFiles = []string{"PATH=/usr/bin:/bin", wall.marker}, []*os.File{told, filter}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		stdin.Close()
		_ = cmd.Wait()
	}()
	told.Close()
	pid, err := childPid(ctx, info)
	if err != nil {
		return err
	}
	return own.connect(ctx, pid, life)
}
