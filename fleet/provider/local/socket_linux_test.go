package local_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
)

// Another user of the machine cannot fill the queue of a ship's server, nor can another ship.
func TestOnlyTheCaptainReachesAShip(t *testing.T) {
	superuser(t) // only the superuser can become another user
	for name, confine := range map[string]local.Confine{"confined": local.Always, "unconfined": local.Never} {
		t.Run(name, func(t *testing.T) {
			o := options(t, confine)
			s := newShip(t, o)
			info, err := os.Stat(o.Runtime)
			if err != nil || info.Mode().Perm() != 0o700 || filepath.Dir(s.machine.Addr) != o.Runtime {
				t.Fatalf("%s is in a directory with mode %v, %v", s.machine.Addr, info.Mode(), err)
			}
			// The server listens nowhere else.
			for _, port := range ports(t, o, s.machine) {
				t.Errorf("it listens: %s", port)
			}
			for range 64 {
				if err := connectAs(12345, s.machine.Addr); !errors.Is(err, unix.EACCES) {
					t.Fatalf("another user connects: %v", err)
				}
			}
			if got := s.sh("echo hello"); got != "hello" {
				t.Errorf("got %q", got)
			}
			if confine == local.Never {
				return
			}
			other := newProvider(t, o)
			spec, _ := newSpec(t, "ship-1")
			m, err := other.Create(soon(t), spec)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = other.Destroy(soon(t), "ship-1") }()
			if got := s.sh(`ls -A "$1"`, o.Runtime); got != s.machine.ID {
				t.Errorf("it sees %q", got)
			}
			for _, socket := range []string{m.Addr, s.machine.Addr} {
				if c, err := s.Dial(soon(t), "unix", socket); err == nil {
					c.Close()
					t.Errorf("it reaches %s", socket)
				}
			}
		})
	}
}

// connectAs connects to a socket as another user, and sends nothing.
func connectAs(uid int, socket string) error {
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread belongs to another user from now on
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
			failed <- fmt.Errorf("become user %d: %w", uid, errno)
			return
		}
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err == nil {
			err = unix.Connect(fd, &unix.SockaddrUnix{Name: socket})
		}
		failed <- err
	}()
	return <-failed
}

// ports returns the addresses at which the processes of a ship listen for the network.
func ports(t *testing.T, o local.Options, m provider.Machine) []string {
	t.Helper()
	var found []string
	for _, pid := range processesOf(t, o, m) {
		var own []string
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, fd := range fds {
			if to, _ := os.Readlink(fd); strings.HasPrefix(to, "socket:[") {
				own = append(own, strings.Trim(to[len("socket:"):], "[]"))
			}
		}
		for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
			for line := range strings.Lines(string(b)) {
				if f := strings.Fields(line); len(f) > 9 && slices.Contains(own, f[9]) {
					found = append(found, table+" "+f[1])
				}
			}
		}
	}
	return found
}

// A socket of a server that was killed, or something else in its place, is replaced.
func TestSocketLeftBehind(t *testing.T) {
	for what, leave := range map[string]func(socket string) error{
		"a dead socket": func(string) error { return nil },
		"none":          os.Remove,
		"a file":        func(s string) error { return errors.Join(os.Remove(s), os.WriteFile(s, nil, 0o600)) },
		"a link":        func(s string) error { return errors.Join(os.Remove(s), os.Symlink("/dev/null", s)) },
	} {
		t.Run(what, func(t *testing.T) {
			o := options(t, local.IfPossible)
			s := newShip(t, o)
			s.Close()
			killServer(t, o, s.machine)
			if info, err := os.Lstat(s.machine.Addr); err != nil || info.Mode().Type() != fs.ModeSocket {
				t.Fatalf("%v, %v", info, err)
			}
			if err := leave(s.machine.Addr); err != nil {
				t.Fatal(err)
			}
			var later *provider.Temporary
			if c, err := s.provider.Dial(soon(t), s.machine); !errors.As(err, &later) {
				c.Close()
				t.Errorf("dialled: %v", err)
			}
			if m, err := s.provider.Ensure(soon(t), "ship-0"); err != nil || m.Addr != s.machine.Addr {
				t.Fatalf("%+v, %v", m, err)
			}
			s.connect()
			if got := s.sh("echo hello"); got != "hello" {
				t.Errorf("got %q", got)
			}
			s.destroy()
		})
	}
}

func TestSocketPathTooLong(t *testing.T) {
	o := options(t, local.IfPossible)
	o.Runtime = filepath.Join(o.Runtime, strings.Repeat("long", 25))
	p := newProvider(t, o)
	spec, _ := newSpec(t, "ship-0")
	if _, err := p.Create(soon(t), spec); err == nil || !strings.Contains(err.Error(), "100 are possible") {
		t.Errorf("got %v", err)
	}
	if err := p.Destroy(soon(t), "ship-0"); err != nil {
		t.Error(err)
	}
}
