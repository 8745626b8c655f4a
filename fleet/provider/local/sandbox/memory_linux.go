package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/retry"
	"ocaptain/sync/bounded"

	"golang.org/x/sys/unix"
)

// cgroups is the directory of cgroups: version 2, or the controllers of version 1.
const cgroups = "/sys/fs/cgroup"

// The means of limiting memory.
const (
	bySystemd = "systemd"
	byCgroup  = "a cgroup"
)

// memoryMeans returns the means of limiting the memory of ships on this machine.
func memoryMeans() (means string, err error) {
	dir, _, err := hierarchy()
	if err != nil {
		return "", err
	}
	systemd := exists("/run/systemd/system")
	switch {
	case systemd && dir == cgroups:
		return bySystemd, nil
	case os.Getuid() == 0:
		return byCgroup, nil
	case systemd:
		return "", errors.New("cgroups of version 2 are not at " + cgroups)
	}
	return "", errors.New("systemd does not run here")
}

// hierarchy returns the directory in which the superuser can make a cgroup with a limit of memory, and the name of
// the file in it for the limit.
func hierarchy() (dir, bound string, err error) {
	one := filepath.Join(cgroups, "memory")
	switch {
	case exists(filepath.Join(cgroups, "cgroup.controllers")):
		return cgroups, "memory.max", nil
	case exists(filepath.Join(one, "memory.limit_in_bytes")):
		return one, "memory.limit_in_bytes", nil
	}
	return "", "", errors.New("no cgroups are at " + cgroups)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// holdMemory puts processes into a cgroup with this limit in bytes.
func holdMemory(ctx context.Context, means, name string, pids []int, most int64) error {
	if means == bySystemd {
		return systemdHolds(ctx, name, pids, most)
	}
	return cgroupHolds(name, pids, most)
}

// systemdHolds asks the captain's systemd, or the machine's for the superuser, to make a scope, and waits until it is made.
func systemdHolds(ctx context.Context, name string, pids []int, most int64) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	unit := fmt.Sprintf("%s-%d.scope", name, pids[0])
	// With this property a process that uses too much memory does not end the ship. Versions before 253 do not have the
	// property, and never end the ship.
	err := startScope(ctx, unit, pids, most, "OOMPolicy", "s", "continue")
	if err != nil {
		err = startScope(ctx, unit, pids, most)
	}
	if err != nil {
		return err
	}
	err = retry.Until(ctx, func() (bool, error) {
		return !slices.ContainsFunc(pids, func(pid int) bool { return !isHeld(pid, unit, most) }), nil
	})
	if err != nil {
		return errors.New("systemd does not bound memory here")
	}
	return nil
}

func startScope(ctx context.Context, unit string, pids []int, most int64, more ...string) error {
	argv := []string{"busctl", "--quiet"}
	if os.Getuid() != 0 {
		argv = append(argv, "--user")
	}
	argv = append(argv, "call", "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
		"StartTransientUnit", "ssa(sv)a(sa(sv))", unit, "fail", strconv.Itoa(3+len(more)/3),
		"MemoryMax", "t", fmt.Sprint(most), "CollectMode", "s", "inactive-or-failed", "PIDs", "au", strconv.Itoa(len(pids)))
	for _, pid := range pids {
		argv = append(argv, strconv.Itoa(pid))
	}
	argv = append(append(argv, more...), "0")
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), fmt.Sprintf("XDG_RUNTIME_DIR=/run/user/%d", os.Getuid())}
	said := bounded.NewOutput(1 << 10)
	cmd.Stderr = said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("systemd: %s (%w)", strings.TrimSpace(said.String()), err)
	}
	return nil
}

// isHeld reports whether a process is in the cgroup of that name, and has this limit.
func isHeld(pid int, name string, most int64) bool {
	own, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return true // the process has ended
	}
	_, dir, _ := strings.Cut("\n"+string(own), "\n0::")
	dir, _, _ = strings.Cut(dir, "\n")
	bound, _ := os.ReadFile(filepath.Join(cgroups, dir, "memory.max"))
	at, err := strconv.ParseInt(strings.TrimSpace(string(bound)), 10, 64)
	return filepath.Base(dir) == name && err == nil && at <= most
}

// cgroupHolds makes the cgroup without systemd.
func cgroupHolds(name string, pids []int, most int64) error {
	above, bound, err := hierarchy()
	if err != nil {
		return err
	}
	_ = os.WriteFile(filepath.Join(above, "cgroup.subtree_control"), []byte("+memory"), 0) // ignored: writing the limit shows whether it worked
	dir := filepath.Join(above, name)
	if err := os.Mkdir(dir, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	err = os.WriteFile(filepath.Join(dir, bound), []byte(fmt.Sprint(most)), 0)
	for _, pid := range pids {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
		}
	}
	if err != nil {
		_ = os.Remove(dir)
	}
	return err
}

// dropMemory removes the cgroup that cgroupHolds made for a ship that has ended.
func dropMemory(name string) {
	if dir, _, err := hierarchy(); err == nil && os.Getuid() == 0 {
		_ = os.Remove(filepath.Join(dir, name))
	}
}

func memoryHere() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}
