// Package sandbox runs programs such that they can write to the directories of a ship only, and see of this machine what
// it shows and no process outside. Bubblewrap makes its walls.
package sandbox

import (
	"os"
	"path/filepath"
	"strconv"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/sync/whole"
)

// Place is where the things of one ship are.
type Place struct {
	Dir     string // what the ship does not see
	Home    string // its own
	Runtime string // its own sockets
}

// Marker is the environment entry by which the processes of a ship are known.
func (at Place) Marker() string { return "TMUX_TMPDIR=" + at.Runtime }

// passwd and group are what it sees as those of /etc.
func (at Place) passwd() string { return filepath.Join(at.Dir, "passwd") }
func (at Place) group() string  { return filepath.Join(at.Dir, "group") }

// filter is what it sees as sshd.NestFilter.
func (at Place) filter() string { return filepath.Join(at.Dir, "filter") }

// tun is the device with which checks of a superuser's ship make a network of their own: another user may not open this machine's.
func (at Place) tun() string { return filepath.Join(at.Dir, "tun") }

// Program is where the view's program is behind the wall.
const Program = "/run/ocaptain"

// Sandbox is the wall around a ship.
type Sandbox struct {
	args   []string // of bubblewrap
	at     Place
	filter []byte
}

// Sizes of what a confined ship writes to memory, in bytes.
const (
	tmpSize    = 2 << 30 // /tmp, where programs are built
	sharedSize = 1 << 30 // /dev/shm and /var/tmp, each
)

// New lists what bubblewrap has to do, in order: later mounts cover earlier ones. It writes the
// files that only the sandbox shows.
func New(at Place, who User, view View) (*Sandbox, error) {
	if err := who.writeAccounts(at); err != nil {
		return nil, err
	}
	s := &Sandbox{at: at}
	if err := s.writeFilter(view.Nested); err != nil {
		return nil, err
	}
	add := func(args ...string) { s.args = append(s.args, args...) }
	memory := func(size int, dir string) { add("--perms", "1777", "--size", strconv.Itoa(size), "--tmpfs", dir) }
	add(system()...)
	add(bind("--ro-bind", at.passwd(), "/etc/passwd")...)
	add(bind("--ro-bind", at.group(), "/etc/group")...)
	add("--dev", "/dev", "--proc", "/proc", "--ro-bind", "/dev/null", "/proc/keys")
	memory(tmpSize, "/tmp")
	memory(sharedSize, "/dev/shm")
	memory(sharedSize, "/var/tmp")
	for _, name := range view.Shown {
		add(bind("--ro-bind-try", name, name)...)
	}
	for _, dir := range realNames(view.Hidden) {
		if isUnder(dir, realNames(view.Shown)) {
			add("--tmpfs", dir, "--remount-ro", dir)
		}
	}
	add(bind("--ro-bind", view.Program, Program)...)
	if s.filter != nil {
		add("--ro-bind", at.filter(), sshd.NestFilter)
	}
	add(bind("--bind", at.Home, at.Home)...)
	add(bind("--bind", at.Runtime, at.Runtime)...)
	add("--perms", "0755", "--dir", "/dev/net", "--ro-bind", "/dev/null", tunDevice) // until it has a network of its own
	add(s.nestProc()...)
	add("--remount-ro", "/dev", "--remount-ro", "/", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL")
	if os.Getuid() == 0 {
		// The ship's server mounts sshd.NestProc, and becomes who.
		add("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SYS_ADMIN", "--chdir", "/")
	} else {
		add("--unshare-user", "--chdir", at.Home)
	}
	return s, nil
}

// nestProc are the arguments for the /proc that the kernel wants to find before it gives checks their own. The ship cannot get there.
// Bubblewrap hides parts of the /proc that it makes for the superuser, and the kernel does not count such a /proc: the ship's server mounts it.
func (s *Sandbox) nestProc() []string {
	if os.Getuid() == 0 {
		return []string{"--perms", "0700", "--dir", filepath.Dir(sshd.NestProc), "--dir", sshd.NestProc}
	}
	return []string{"--perms", "0000", "--dir", filepath.Dir(sshd.NestProc), "--proc", sshd.NestProc}
}

// writeFilter writes down what keeps the ship's programs from user namespaces, unless they may have them.
func (s *Sandbox) writeFilter(nested bool) (err error) {
	if nested {
		return nil
	}
	if s.filter, err = nestFilter(); err != nil {
		return err
	}
	return whole.Write(s.at.filter(), s.filter, 0o644)
}

// Filter is what the ship's server loads for all that it starts, nil for nothing.
func (s *Sandbox) Filter() []byte { return s.filter }

// bind are the arguments that show a file or directory. Bubblewrap would close the directories above it to other
// users, and the ship's user may be one.
func bind(how, name, at string) []string {
	args := []string{how, name, at}
	for dir := filepath.Dir(at); dir != "/"; dir = filepath.Dir(dir) {
		args = append([]string{"--perms", "0755", "--dir", dir}, args...)
	}
	return args
}
