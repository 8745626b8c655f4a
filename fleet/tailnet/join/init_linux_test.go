package join_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// ours is the source of each of a machine's own mounts, by which they are told from this machine's.
const ours = "ocaptain-test"

// pid1 is the word by which this test is the first process of a machine, until systemd is.
const pid1 = "pid1"

func init() {
	if len(os.Args) == 3 && os.Args[1] == pid1 {
		fmt.Fprintln(os.Stderr, boot(os.Args[2]))
		os.Exit(1)
	}
}

// boot becomes systemd in a machine whose disk is at root. What it could do to this machine is out of its reach before it begins.
func boot(root string) error {
	if os.Getpid() != 1 {
		return errors.New("no process ids of its own, so this machine would be what systemd shuts down")
	}
	if err := mounts(root); err != nil {
		return err
	}
	if err := settle(root); err != nil {
		return fmt.Errorf("make %s the root: %w", root, err)
	}
	if err := alone(); err != nil {
		return err
	}
	// Of the kernel, which all machines share.
	for _, right := range []uintptr{unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO, unix.CAP_SYS_TIME, unix.CAP_SYSLOG} {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, right, 0, 0, 0); err != nil {
			return fmt.Errorf("do without capability %d: %w", right, err)
		}
	}
	env := []string{"container=" + ours, "PATH=" + search, "NOTIFY_SOCKET=" + os.Getenv("NOTIFY_SOCKET")}
	return unix.Exec("/usr/lib/systemd/systemd", []string{"systemd", "--show-status=no"}, env)
}

// mounts makes what a kernel gives to a machine that boots. What lies in /run and /tmp is gone after that.
func mounts(root string) error {
	const strict = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	for _, m := range []struct {
		kind, at string
		flags    uintptr
		options  string
	}{
		{"proc", "proc", strict, ""},
		{"sysfs", "sys", strict | unix.MS_RDONLY, ""},
		{"cgroup2", "sys/fs/cgroup", strict, ""},
		{"tmpfs", "dev", unix.MS_NOSUID | unix.MS_NOEXEC, "mode=755"},
		{"tmpfs", "dev/shm", unix.MS_NOSUID | unix.MS_NODEV, "mode=1777"},
		{"devpts", "dev/pts", unix.MS_NOSUID | unix.MS_NOEXEC, "newinstance,ptmxmode=666,mode=620,gid=5"},
		{"tmpfs", "run", unix.MS_NOSUID | unix.MS_NODEV, "mode=755"},
		{"tmpfs", "tmp", unix.MS_NOSUID | unix.MS_NODEV, "mode=1777"},
		{"tmpfs", "var/tmp", unix.MS_NOSUID | unix.MS_NODEV, "mode=1777"},
	} {
		at := filepath.Join(root, m.at)
		if m.kind != "cgroup2" { // sysfs has its place
			if err := os.MkdirAll(at, 0o755); err != nil {
				return err
			}
		}
		if err := unix.Mount(ours, at, m.kind, m.flags, m.options); err != nil {
			return fmt.Errorf("mount %s at /%s: %w", m.kind, m.at, err)
		}
	}
	for name, number := range map[string][2]uint32{"null": {1, 3}, "zero": {1, 5}, "full": {1, 7}, "random": {1, 8}, "urandom": {1, 9}, "tty": {5, 0}, "net/tun": {10, 200}} {
		at := filepath.Join(root, "dev", name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := unix.Mknod(at, unix.S_IFCHR|0o666, int(unix.Mkdev(number[0], number[1]))); err != nil {
			return fmt.Errorf("make /dev/%s: %w", name, err)
		}
		if err := os.Chmod(at, 0o666); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"} {
		if err := os.Symlink(to, filepath.Join(root, "dev", name)); err != nil {
			return err
		}
	}
	// What sets the kernel is all machines', but for what sets the network.
	settings, key := filepath.Join(root, "proc/sys"), filepath.Join(root, "proc/sysrq-trigger")
	err := errors.Join(
		unix.Mount(settings, settings, "", unix.MS_BIND, ""),
		unix.Mount(settings+"/net", settings+"/net", "", unix.MS_BIND, ""),
		unix.Mount("", settings, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|strict, ""),
	)
	if exists(key) { // some kernels have none
		err = errors.Join(err, unix.Mount(key, key, "", unix.MS_BIND, ""), unix.Mount("", key, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|strict, ""))
	}
	return err
}

// settle makes a directory the root, and lets go of the one before.
func settle(root string) error {
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return err
	}
	return errors.Join(unix.Unmount(".", unix.MNT_DETACH), os.Chdir("/"))
}

// alone refuses to go on unless all that can be written to here is the machine's own: a systemd that saw the /tmp of
// another one would empty it.
func alone() error {
	raw, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	own := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		before, after, _ := strings.Cut(line, " - ")
		mount, kind := strings.Fields(before), strings.Fields(after)
		if len(mount) < 6 || len(kind) < 2 {
			return fmt.Errorf("not a mount: %q", line)
		}
		if kind[1] == ours {
			own[mount[4]] = true
		} else if !slices.Contains(strings.Split(mount[5], ","), "ro") {
			return fmt.Errorf("%s is this machine's, and could be written to", mount[4])
		}
	}
	for _, at := range []string{"/", "/tmp", "/var/tmp", "/run", "/dev", "/proc", "/sys/fs/cgroup"} {
		if !own[at] {
			return fmt.Errorf("%s is not the machine's own", at)
		}
	}
	return nil
}
