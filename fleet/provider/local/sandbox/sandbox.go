// Package sandbox runs programs with bubblewrap so that they can write only to the directories of a ship, and see no
// process outside and only what the sandbox shows of this machine.
package sandbox

import (
	"os"
	"path/filepath"
	"strconv"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/sync/whole"
)

// Place names the directories of one ship.
type Place struct {
	Dir     string // the directory that the ship does not see
	Home    string // the ship's home directory
	Runtime string // the directory for the ship's own sockets
}

// Marker returns the environment entry by which processes are recognised as the ship's.
func (at Place) Marker() string { return "TMUX_TMPDIR=" + at.Runtime }

// passwd and group return the paths of the files that the ship sees in /etc.
func (at Place) passwd() string { return filepath.Join(at.Dir, "passwd") }
func (at Place) group() string  { return filepath.Join(at.Dir, "group") }

// filter returns the path of the file that the ship sees as sshd.NestFilter.
func (at Place) filter() string { return filepath.Join(at.Dir, "filter") }

// tun returns the path of the device with which checks on a superuser's ship make a network of their own, as another user may not
// open this machine's device.
func (at Place) tun() string { return filepath.Join(at.Dir, "tun") }

// Program is the path of View.Program in the sandbox.
const Program = "/run/ocaptain"

// Sandbox is the sandbox of a ship.
type Sandbox struct {
	args   []string // arguments of bubblewrap
	at     Place
	filter []byte
}

// Sizes of the file systems in memory of a sandboxed ship, in bytes.
const (
	tmpSize    = 2 << 30 // /tmp, where programs are built
	sharedSize = 1 << 30 // /dev/shm and /var/tmp, each
)

// New returns the sandbox of a ship. Its arguments are in the order of mounts: later mounts cover earlier ones. It
// writes the files that only the sandbox shows.
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
	add("--perms", "0755", "--dir", "/dev/net", "--ro-bind", "/dev/null", tunDevice) // replaced once the sandbox has its own network
	add(s.nestProc()...)
	add("--remount-ro", "/dev", "--remount-ro", "/", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL")
	if os.Getuid() == 0 {
		// The ship's server mounts sshd.NestProc, and then becomes who.
		add("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SYS_ADMIN", "--chdir", "/")
	} else {
		add("--unshare-user", "--chdir", at.Home)
	}
	return s, nil
}

// nestProc returns the arguments for a full /proc, without which the kernel does not let checks mount their own. The ship cannot reach it. For
// the superuser, bubblewrap hides parts of a /proc that it mounts, and such a /proc does not count; so the ship's server mounts it.
func (s *Sandbox) nestProc() []string {
	if os.Getuid() == 0 {
		return []string{"--perms", "0700", "--dir", filepath.Dir(sshd.NestProc), "--dir", sshd.NestProc}
	}
	return []string{"--perms", "0000", "--dir", filepath.Dir(sshd.NestProc), "--proc", sshd.NestProc}
}

// writeFilter writes the filter that keeps the ship's programs from making user namespaces, unless nested allows
// that.
func (s *Sandbox) writeFilter(nested bool) (err error) {
	if nested {
		return nil
	}
	if s.filter, err = nestFilter(); err != nil {
		return err
	}
	return whole.Write(s.at.filter(), s.filter, 0o644)
}

// Filter returns the filter that the ship's server applies to everything that it starts, nil for none.
func (s *Sandbox) Filter() []byte { return s.filter }

// bind returns the arguments that show a file or directory. They include the directories above, which bubblewrap
// would otherwise close to other users, such as the ship's user.
func bind(how, name, at string) []string {
	args := []string{how, name, at}
	for dir := filepath.Dir(at); dir != "/"; dir = filepath.Dir(dir) {
		args = append([]string{"--perms", "0755", "--dir", dir}, args...)
	}
	return args
}
