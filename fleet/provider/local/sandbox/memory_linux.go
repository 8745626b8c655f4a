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

// cgroups is where version 2 of them is.
const cgroups = "/sys/fs/cgroup"

// The means of bounding memory.
const (
	bySystemd = "systemd"
	byCgroup  = "a cgroup"
)

// memoryMeans is what bounds the memory of ships here.
func memoryMeans() (means string, err error) {
	if _, err := os.Stat(filepath.Join(cgroups, "cgroup.controllers")); err != nil {
		return "", errors.New("cgroups of version 2 are not at " + cgroups)
	}
	switch _, err := os.Stat("/run/systemd/system"); {
	case err == nil:
		return bySystemd, nil
	case os.Getuid() == 0:
		return byCgroup, nil
	}
	return "", errors.New("systemd does not run here")
}

// holdMemory puts processes into a cgroup of their own that has so many bytes.
func holdMemory(ctx context.Context, means, name string, pids []int, most int64) error {
	if means == bySystemd {
		return systemdHolds(ctx, name, pids, most)
	}
	return cgroupHolds(name, pids, most)
}

// systemdHolds has the captain's systemd, or the machine's for the superuser, make a scope. It does so after it has answered.
func systemdHolds(ctx context.Context, name string, pids []int, most int64) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	unit := fmt.Sprintf("%s-%d.scope", name, pids[0])
	// One process that takes too much must not end the ship: versions before 253 know no other way, and no such property.
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

// isHeld tells whether a process is in the cgroup of that name, and that bounds its memory.
func isHeld(pid int, name string, most int64) bool {
	own, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return true // it has ended
	}
	_, dir, _ := strings.Cut("\n"+string(own), "\n0::")
	dir, _, _ = strings.Cut(dir, "\n")
	bound, _ := os.ReadFile(filepath.Join(cgroups, dir, "memory.max"))
	at, err := strconv.ParseInt(strings.TrimSpace(string(bound)), 10, 64)
	return filepath.Base(dir) == name && err == nil && at <= most
}

// cgroupHolds makes the cgroup itself.
func cgroupHolds(name string, pids []int, most int64) error {
	_ = os.WriteFile(filepath.Join(cgroups, "cgroup.subtree_control"), []byte("+memory"), 0) // the next line tells
	dir := filepath.Join(cgroups, name)
	if err := os.Mkdir(dir, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	err := os.WriteFile(filepath.Join(dir, "memory.max"), []byte(fmt.Sprint(most)), 0)
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

// dropMemory removes what cgroupHolds made for a ship that has ended.
func dropMemory(name string) {
	if os.Getuid() == 0 {
		_ = os.Remove(filepath.Join(cgroups, name))
	}
}

func memoryHere() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}
