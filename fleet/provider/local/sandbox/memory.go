package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"

	"ocaptain/fleet/process"
	"ocaptain/fleet/retry"
)

// Bounds are what a ship may take of this machine. Zero is the default.
type Bounds struct {
	Processes int   // and threads
	Memory    int64 // bytes, where something here can bound it
	Disk      int64 // bytes; zero for a share of what is free
}

// usualProcesses is far above what agents and their builds have at once.
const usualProcesses = 4096

// OrUsual has the defaults for what is not set. One ship leaves a quarter of the memory to others.
func (b Bounds) OrUsual() Bounds {
	return Bounds{cmp.Or(b.Processes, usualProcesses), cmp.Or(b.Memory, memoryHere()/4*3), b.Disk}
}

// cgroupName names the cgroup of a ship, or of what is none.
func cgroupName(id string) string { return "ocaptain-" + id }

// BoundMemory bounds the memory of a ship that has not begun: of bubblewrap, of the first process behind the wall and of
// the command, which waits for its input. A ship whose memory nothing here can bound goes without, which doctor tells.
func (c *Command) BoundMemory(ctx context.Context, id string, most int64) {
	means, err := memoryMeans()
	if err != nil {
		return
	}
	var below []process.Process
	_ = retry.Until(ctx, func() (bool, error) {
		all, err := process.List()
		below = process.Descendants(all, c.first)
		return len(below) > 0 || !process.Identify(c.first).Alive(), err
	})
	pids := []int{c.Process.Pid, c.first}
	for _, b := range below {
		pids = append(pids, b.PID)
	}
	_ = holdMemory(ctx, means, cgroupName(id), pids, most)
}

// DropMemory removes the bound of a ship that has ended.
func DropMemory(id string) { dropMemory(cgroupName(id)) }

// CheckMemory tells by what means the memory of ships is bounded: none, or why not.
func CheckMemory(ctx context.Context, most int64) (means string, why, err error) {
	if means, why = memoryMeans(); why != nil {
		return "", why, nil
	}
	trial := exec.CommandContext(ctx, "cat")
	stdin, err := trial.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	if err := trial.Start(); err != nil {
		return "", nil, err
	}
	name := cgroupName(fmt.Sprint("trial-", os.Getpid()))
	why = holdMemory(ctx, means, name, []int{trial.Process.Pid}, most)
	stdin.Close()
	_ = trial.Wait()
	dropMemory(name)
	return means, why, nil
}
