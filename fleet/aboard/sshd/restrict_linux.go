package sshd

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock is the system call landlock_create_ruleset, which creates rules or returns the kernel's version of
// Landlock. Tests replace it.
var Landlock = func(attr *unix.LandlockRulesetAttr, size, flags uintptr) (int, unix.Errno) {
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(attr)), size, flags)
	return int(fd), errno
}

// Versions of Landlock.
const (
	withRefer  = 2 // can allow moving files between directories; since Linux 5.19
	withScopes = 6 // can restrict abstract sockets; since Linux 6.12
)

func landlockVersion() int {
	version, errno := Landlock(nil, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return version
}

// ScopesAbstract reports whether the kernel can keep processes from the abstract sockets of others.
func ScopesAbstract() bool { return landlockVersion() >= withScopes }

// restrict restricts the processes that are started from now on: with scoped set, to no abstract sockets of others, if the kernel can
// do that; and to the system calls that the filter allows. If there is a filter, programs that make sandboxes start without it. The
// others cannot trace such programs, as they would then escape the filter.
func (c *children) restrict(scoped bool, filter []byte) (err error) {
	if len(filter) > 0 {
		nest, err := onThread(func() error {
			if scoped {
				enterScope()
			}
			return nil
		})
		if err != nil {
			return err
		}
		if canNest(nest) {
			c.nest = nest
		}
	} else if !scoped {
		return nil
	}
	c.run, err = onThread(func() error {
		switch version := landlockVersion(); {
		case version >= withScopes:
			enterScope()
		case version >= withRefer && len(filter) > 0:
			enterDomain()
		}
		return load(filter)
	})
	return err
}

// canNest reports whether a program that is started by start can make a sandbox.
func canNest(start func(func())) bool {
	cmd := exec.Command("/usr/bin/bwrap", "--unshare-user", "--dev-bind", "/", "/", "true")
	var err error
	start(func() { err = cmd.Start() })
	return err == nil && cmd.Wait() == nil
}

// onThread calls prepare on a thread of its own, and returns start, which runs functions on the same thread. Rules and filters apply to a
// thread and to processes that it starts.
func onThread(prepare func() error) (start func(func()), err error) {
	work, prepared := make(chan func()), make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked
		prepared <- prepare()
		for start := range work {
			start()
		}
	}()
	return func(start func()) {
		done := make(chan struct{})
		work <- func() { start(); close(done) }
		<-done
	}, <-prepared
}

// enterScope keeps this thread from the abstract sockets of others, and from tracing processes of others.
func enterScope() {
	rules := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	if fd, errno := Landlock(&rules, unsafe.Sizeof(rules), 0); errno == 0 {
		enter(fd)
	}
}

// enterDomain keeps this thread from tracing processes of others, and from mounting. Landlock forbids both to a thread with any
// rules; these rules allow everything else.
func enterDomain() {
	rules := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK}
	fd, errno := Landlock(&rules, unsafe.Sizeof(rules.Handled_access_fs), 0)
	if errno != 0 {
		return
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		unix.Close(fd)
		return
	}
	defer unix.Close(root)
	all := unix.LandlockPathBeneathAttr{Allowed_access: rules.Handled_access_fs, Parent_fd: int32(root)}
	_, _, errno = unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&all)), 0, 0, 0)
	if errno != 0 {
		unix.Close(fd)
		return
	}
	enter(fd)
}

// enter applies rules to this thread. It ignores errors: older kernels have no Landlock, which the ship's note and
// the help pages mention.
func enter(rules int) {
	defer unix.Close(rules)
	if unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == nil {
		_, _, _ = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0)
	}
}

// load applies a filter of system calls to this thread.
func load(filter []byte) error {
	if len(filter) == 0 {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter) / unix.SizeofSockFilter), Filter: (*unix.SockFilter)(unsafe.Pointer(&filter[0]))}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return fmt.Errorf("filter of system calls: %w", errno)
	}
	return nil
}

// mountNestProc mounts NestProc, if bubblewrap has left a directory for it. It needs the superuser.
func mountNestProc() error {
	err := unix.Mount("proc", NestProc, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("mount %s: %w", NestProc, err)
	}
	return nil
}
