package local

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"

	"ocaptain/fleet/process"
	"ocaptain/fleet/retry"
)

// Bounds are what a confined ship may take of this machine. Zero is the default.
type Bounds struct {
	Processes int   // and threads
	Memory    int64 // bytes, where something here can bound it
}

// usualProcesses is far above what agents and their builds have at once.
const usualProcesses = 4096

// bounds asks what the captain lets ships take. By default one ship leaves a quarter of the memory to others.
func (p *Provider) bounds() (Bounds, error) {
	var b Bounds
	if p.options.Bounds != nil {
		var err error
		if b, err = p.options.Bounds(); err != nil {
			return b, err
		}
	}
	return Bounds{cmp.Or(b.Processes, usualProcesses), cmp.Or(b.Memory, memoryHere()/4*3)}, nil
}

// cgroupName names the cgroup of a ship, or of what is none.
func cgroupName(id string) string { return "ocaptain-" + id }

// hold bounds the memory of a ship that has not begun: of bubblewrap, of the first process behind the wall and of the
// server, which waits for its configuration. A ship whose memory nothing here can bound goes without, which doctor tells.
func (p *Provider) hold(ctx context.Context, r *record, wall, first int, most Bounds) {
	means, err := memoryMeans()
	if err != nil {
		return
	}
	var below []process.Process
	_ = retry.Until(ctx, func() (bool, error) {
		all, err := process.List()
		below = process.Descendants(all, first)
		return len(below) > 0 || !process.Identify(first).Alive(), err
	})
	pids := []int{wall, first}
	for _, b := range below {
		pids = append(pids, b.PID)
	}
	_ = holdMemory(ctx, means, cgroupName(r.ID), pids, most.Memory)
}

// Bounds are those of confined ships that start now, and by what means their memory is bounded: none, or why not.
func (p *Provider) Bounds(ctx context.Context) (most Bounds, means string, why, err error) {
	if most, err = p.bounds(); err != nil {
		return most, "", nil, err
	}
	if means, why = memoryMeans(); why != nil {
		return most, "", why, nil
	}
	trial := exec.CommandContext(ctx, "cat")
	stdin, err := trial.StdinPipe()
	if err != nil {
		return most, "", nil, err
	}
	if err := trial.Start(); err != nil {
		return most, "", nil, err
	}
	name := cgroupName(fmt.Sprint("trial-", os.Getpid()))
	why = holdMemory(ctx, means, name, []int{trial.Process.Pid}, most.Memory)
	stdin.Close()
	_ = trial.Wait()
	dropMemory(name)
	return most, means, why, nil
}
