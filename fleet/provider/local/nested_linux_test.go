package local_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provider/local"
)

// attackSpaces prints each way in which it gets a user namespace.
func attackSpaces() error {
	if _, _, errno := unix.RawSyscall(unix.SYS_UNSHARE, unix.CLONE_NEWUSER|unix.CLONE_NEWNS, 0, 0); errno != unix.EPERM {
		fmt.Println("unshare:", errno)
	}
	for _, flags := range []uintptr{unix.CLONE_NEWUSER, unix.CLONE_NEWUSER | 1<<40 | unix.CLONE_NEWNS} {
		pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if pid == 0 && errno == 0 {
			_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		if errno != unix.EPERM {
			fmt.Println("clone:", errno)
		}
	}
	args := [11]uint64{unix.CLONE_NEWUSER, 4: uint64(unix.SIGCHLD)}
	pid, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), 64, 0)
	if pid == 0 && errno == 0 {
		_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	if errno != unix.ENOSYS {
		fmt.Println("clone3:", errno)
	}
	all, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, e := range all {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			attackSpaceOf(pid)
		}
	}
	return nil
}

// attackSpaceOf joins the namespaces of another process, or makes that process make one.
func attackSpaceOf(pid int) {
	if f, err := os.Open(fmt.Sprintf("/proc/%d/ns/user", pid)); err == nil {
		for _, kind := range []int{0, unix.CLONE_NEWUSER} {
			if err := unix.Setns(int(f.Fd()), kind); err != unix.EPERM {
				fmt.Println("setns:", err)
			}
		}
		f.Close()
	}
	command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	own, _ := os.ReadFile("/proc/self/status")
	if filters(status) >= filters(own) {
		return
	}
	if err := unix.PtraceSeize(pid); err == nil {
		fmt.Printf("it traces %q\n", command)
	}
	if mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0); err == nil {
		fmt.Printf("it writes to %q\n", command)
		mem.Close()
	}
}

// filters returns how many filters of system calls a process has, from its status.
func filters(status []byte) string {
	_, n, _ := strings.Cut(string(status), "Seccomp_filters:\t")
	n, _, _ = strings.Cut(n, "\n")
	return n
}

// olderLandlock is an environment variable of ships whose kernel has to look like Linux 6.2.
const olderLandlock = "OLDER_LANDLOCK"

func init() {
	if os.Getenv(olderLandlock) == "" {
		return
	}
	real := sshd.Landlock
	sshd.Landlock = func(attr *unix.LandlockRulesetAttr, size, flags uintptr) (int, unix.Errno) {
		switch {
		case flags == unix.LANDLOCK_CREATE_RULESET_VERSION:
			return 3, 0
		case size > unsafe.Sizeof(attr.Handled_access_fs):
			return -1, unix.E2BIG
		}
		return real(attr, size, flags)
	}
}

func attackSpacesFromShip(t *testing.T, s *ship) {
	t.Helper()
	const nests = `bwrap --unshare-user --dev-bind / / --tmpfs /tmp sh -c 'echo made && exec cat'`
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	check, err := s.Stream(ctx, link.Command{Argv: []string{"sh", "-c", nests}, Nests: true})
	if err != nil {
		t.Fatal(err)
	}
	defer check.Close()
	made := make([]byte, 5)
	if _, err := check.Read(made); err != nil || string(made) != "made\n" {
		t.Fatalf("what may make walls does not: %q, %v", made, err)
	}
	if got := s.sh(`/run/ocaptain "$1" spaces`, attackRole); got != "" {
		t.Errorf("%s", got)
	}
	for _, what := range []string{"unshare -Urm true", "bwrap --unshare-user --ro-bind / / true", "unshare -U --fork true"} {
		if got := s.sh(what + " && echo done"); strings.Contains(got, "done") || got == "" {
			t.Errorf("%s: %q", what, got)
		}
	}
	// What programs do all the time still works.
	if got := s.sh(`mkdir -p a b && touch a/x && mv a/x b/x && ln b/x a/y && ls b && (sleep 0 & wait) && python3 -c 'import threading as t; x = t.Thread(target=print, args=("thread",)); x.start(); x.join()'`); got != "x\nthread" {
		t.Errorf("%q", got)
	}
	s.destroy()
}

// TestNested lets a ship's programs make sandboxes if the captain has allowed it.
func TestNested(t *testing.T) { eachCaptain(t, nestWalls) }

func nestWalls(t *testing.T) {
	o := options(t, local.Always)
	o.Nested = func() (bool, error) { return true, nil }
	s := newShip(t, o)
	if got := s.sh("bwrap --unshare-user --ro-bind / / --tmpfs /tmp echo made"); got != "made" {
		t.Errorf("%q", got)
	}
	if got := s.sh(`/run/ocaptain "$1" sockets`, attackRole); got != "" {
		t.Errorf("sockets are open then: %s", got)
	}
	s.destroy()
}
