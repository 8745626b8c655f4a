package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// wall is a way to run a program such that it can write to the ship's directories only, and
// see neither the captain's home nor other ships nor any process outside.
type wall struct {
	bwrap  string
	args   []string
	exe    string // the SSH server's program behind the wall
	home   string
	marker string
}

// Confinement tells whether ships made now will be confined: nil, or why not.
func (p *Provider) Confinement(ctx context.Context) error {
	if p.options.Confine == Never {
		return errors.New("switched off")
	}
	// A ship that is none: only its directories must exist.
	dir, err := os.MkdirTemp(p.options.Root, ".probe-")
	if err != nil {
		return fmt.Errorf("directory for local ships: %w", err)
	}
	defer os.RemoveAll(dir)
	return p.buildWall(place{home: dir, tmp: dir, runtime: dir}).probe(ctx)
}

// wall returns the wall for a ship, or nil when it goes without; its Note then says why.
func (p *Provider) wall(ctx context.Context, r *record) (*wall, error) {
	why := errors.New("switched off")
	if p.options.Confine != Never {
		w := p.buildWall(p.place(r))
		if why = w.probe(ctx); why == nil {
			r.Note = ""
			return w, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if p.options.Confine == Always || r.Confined {
			return nil, fmt.Errorf("cannot confine it: %w", why)
		}
	}
	r.Note = "not confined: " + why.Error()
	return nil, nil
}

// buildWall lists what bubblewrap has to do, in order: later mounts cover earlier ones.
func (p *Provider) buildWall(at place) *wall {
	w := &wall{exe: "/run/ocaptain", home: at.home, marker: marker(at)}
	add := func(args ...string) { w.args = append(w.args, args...) }
	add("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", at.tmp, "/tmp")
	for _, dir := range p.hidden() {
		if dir != "/tmp" {
			add("--tmpfs", dir)
		}
	}
	// /run is hidden for its sockets, and has two things that programs do need.
	add("--ro-bind-try", "/run/current-system", "/run/current-system") // NixOS: every program
	if resolv, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && strings.HasPrefix(resolv, "/run/") {
		add("--ro-bind", resolv, resolv)
	}
	for _, name := range p.options.ReadOnly {
		add("--ro-bind-try", name, name)
	}
	add("--ro-bind", p.options.Exe, w.exe)
	add("--bind", at.home, at.home, "--bind", at.runtime, at.runtime)
	for _, dir := range p.hidden() {
		if dir != "/tmp" && dir != "/var/tmp" {
			add("--remount-ro", dir)
		}
	}
	add("--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL", "--chdir", at.home)
	if os.Getuid() == 0 {
		// Much of /proc/sys asks for no capability, only for root. What installers that are run by
		// root expect to be able to do is harmless where everything else is read-only.
		add("--remount-ro", "/proc")
		for _, c := range []string{"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID"} {
			add("--cap-add", c)
		}
	}
	return w
}

// hidden are the directories that a confined ship finds empty, none inside another.
func (p *Provider) hidden() []string {
	dirs := []string{"/tmp", "/run", "/var/tmp", p.options.Root, p.user.HomeDir}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, home)
	}
	if os.Getuid() == 0 {
		dirs = append(dirs, "/home") // no permissions keep root out
	}
	var real []string
	for _, dir := range append(dirs, p.options.Hide...) {
		if dir, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) && dir != "/" {
			real = append(real, dir)
		}
	}
	slices.Sort(real)
	var outer []string
	for _, dir := range real {
		if !isUnder(dir, outer) {
			outer = append(outer, dir)
		}
	}
	return outer
}

// argv is the command that runs another one behind the wall. What bubblewrap knows of it
// goes to the descriptor info.
func (w *wall) argv(info string, command []string) []string {
	argv := append([]string{w.bwrap}, w.args...)
	if info != "" {
		argv = append(argv, "--info-fd", info)
	}
	return append(append(argv, "--"), command...)
}

// probe runs something behind the wall: that bubblewrap is installed does not mean that
// the kernel and its security modules let it work. It leaves no file, since whoever destroys the ship
// of a command that was killed may be removing its home now.
func (w *wall) probe(ctx context.Context) error {
	var err error
	if w.bwrap, err = exec.LookPath("bwrap"); err != nil {
		return errors.New("bubblewrap is not installed")
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	argv := w.argv("", []string{"touch", "-c", w.home})
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", w.marker}
	// Bubblewrap cut while it builds the wall leaves a process that waits for ever: end both.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bubblewrap does not work here: %s (%w)", strings.TrimSpace(said.String()), err)
	}
	return nil
}
