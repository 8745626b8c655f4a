package process_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"

	"ocaptain/fleet/process"
	"ocaptain/tasks/eventually"
)

// TestBelow compares Below with the process table: the children of several threads, a grandchild, and a zombie.
func TestBelow(t *testing.T) {
	end := make(chan struct{})
	var threads sync.WaitGroup
	for range 3 {
		threads.Go(func() {
			runtime.LockOSThread() // the kernel lists a child with the thread that started the child
			defer runtime.UnlockOSThread()
			cmd := exec.Command("sh", "-c", "true & sleep 1000 & exec sleep 1000")
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			<-end
			for _, p := range process.Below(cmd.Process.Pid) {
				p.Kill()
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
	defer threads.Wait()
	defer close(end)
	ids := func(all []process.Process) map[process.ID]bool {
		found := map[process.ID]bool{}
		for _, p := range all {
			found[p.ID] = true
		}
		return found
	}
	eventually.Succeeds(t, "Below finds six processes as the table does", func() error {
		all, err := process.List()
		if err != nil {
			return err
		}
		want, got := ids(process.Descendants(all, os.Getpid())), ids(process.Below(os.Getpid()))
		if len(want) != 6 || !maps.Equal(want, got) {
			return fmt.Errorf("the table has %v, Below %v", want, got)
		}
		return nil
	})
}
