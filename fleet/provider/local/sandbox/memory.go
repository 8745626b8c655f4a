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

// Bounds are limits of a ship on this machine. Zero means the default.
type Bounds struct {
	Processes int   // number of processes and threads
	Memory    int64 // bytes, if the memory can be limited here
	Disk      int64 // bytes; zero for a share of the free space
}

// usualProcesses is far more than agents and their builds have at the same time.
const usualProcesses = 4096

// OrUsual returns b with defaults in place of zeros. The default leaves a quarter of the memory to others.
func (b Bounds) OrUsual() Bounds {
	return Bounds{cmp.Or(b.Processes, usualProcesses), cmp.Or(b.Memory, memoryHere()/4*3), b.Disk}
}

// cgroupName returns the name of the cgroup of a ship, or of a test.
func cgroupName(id string) string { return "ocaptain-" + id }

// BoundMemory limits the memory of a ship before it begins: that of bubblewrap, of the first process in the sandbox and
// of the command, which waits for its input. If the memory cannot be limited here, it does nothing; doctor reports that.
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

// DropMemory removes the limit of a ship that has ended.
func DropMemory(id string) { dropMemory(cgroupName(id)) }

// CheckMemory returns the means by which the memory of ships is limited; why says why it is not.
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
