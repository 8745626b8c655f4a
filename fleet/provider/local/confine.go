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
	"strconv"
	"strings"
	"syscall"
	"time"
)

// wall is a way to run a program such that it can write to the ship's directories only, and
// sees of this machine what Sees tells and no process outside.
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
	_, w, remove, err := p.trial()
	if err != nil {
		return err
	}
	defer remove()
	return w.probe(ctx)
}

// trial is the wall of a ship that is none: only its directories exist, until remove is called.
func (p *Provider) trial() (at place, w *wall, remove func(), err error) {
	dir, err := os.MkdirTemp(p.options.Root, ".probe-")
	if err != nil {
		return at, nil, nil, fmt.Errorf("directory for local ships: %w", err)
	}
	at = place{dir: dir, home: dir, runtime: dir, passwd: filepath.Join(dir, "passwd"), group: filepath.Join(dir, "group")}
	w, err = p.buildWall(at, p.account(&record{}, true), nil)
	if err != nil {
		os.RemoveAll(dir)
	}
	return at, w, func() { os.RemoveAll(dir) }, err
}

// wall returns the wall for a ship, or nil when it goes without; its Note then says why.
func (p *Provider) wall(ctx context.Context, r *record) (*wall, error) {
	why := errors.New("switched off")
	if p.options.Confine != Never {
		w, err := p.buildWall(p.place(r), p.account(r, true), r.Bind)
		if err != nil {
			return nil, err
		}
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

// Sizes of what a confined ship writes to memory, in bytes.
const (
	tmpSize    = 2 << 30 // /tmp, where programs are built
	sharedSize = 1 << 30 // /dev/shm and /var/tmp, each
)

// buildWall lists what bubblewrap has to do, in order: later mounts cover earlier ones. It writes the
// files that only the wall shows.
func (p *Provider) buildWall(at place, who account, bound []string) (*wall, error) {
	if err := who.writeAccounts(at); err != nil {
		return nil, err
	}
	w := &wall{exe: "/run/ocaptain", home: at.home, marker: marker(at)}
	add := func(args ...string) { w.args = append(w.args, args...) }
	memory := func(size int, dir string) { add("--perms", "1777", "--size", strconv.Itoa(size), "--tmpfs", dir) }
	add(system()...)
	add(bind("--ro-bind", at.passwd, "/etc/passwd")...)
	add(bind("--ro-bind", at.group, "/etc/group")...)
	add("--dev", "/dev", "--proc", "/proc", "--ro-bind", "/dev/null", "/proc/keys")
	memory(tmpSize, "/tmp")
	memory(sharedSize, "/dev/shm")
	memory(sharedSize, "/var/tmp")
	shown := slices.Concat(p.options.ReadOnly, bound)
	for _, name := range shown {
		add(bind("--ro-bind-try", name, name)...)
	}
	for _, dir := range realNames(append(p.options.Hide, p.options.Root)) {
		if isUnder(dir, realNames(shown)) {
			add("--tmpfs", dir, "--remount-ro", dir)
		}
	}
	add(bind("--ro-bind", p.options.Exe, w.exe)...)
	add(bind("--bind", at.home, at.home)...)
	add(bind("--bind", at.runtime, at.runtime)...)
	add("--remount-ro", "/dev", "--remount-ro", "/", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL")
	if os.Getuid() == 0 {
		add("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--chdir", "/") // the ship's server becomes who
	} else {
		add("--unshare-user", "--chdir", at.home)
	}
	return w, nil
}

// bind are the arguments that show a file or directory. Bubblewrap would close the directories above it to other
// users, and the ship's user may be one.
func bind(how, name, at string) []string {
	args := []string{how, name, at}
	for dir := filepath.Dir(at); dir != "/"; dir = filepath.Dir(dir) {
		args = append([]string{"--perms", "0755", "--dir", dir}, args...)
	}
	return args
}

// argv is the command that runs another one behind the wall. filter is the descriptor of what keysFilter
// returned.
func (w *wall) argv(filter int, more, command []string) []string {
	argv := slices.Concat([]string{w.bwrap}, w.args, []string{"--seccomp", strconv.Itoa(filter)}, more, []string{"--"})
	return append(argv, command...)
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
	filter, err := keysFilter()
	if err != nil {
		return err
	}
	defer filter.Close()
	argv := w.argv(3, nil, []string{"test", "-d", w.home})
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.ExtraFiles = []*os.File{filter}
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
