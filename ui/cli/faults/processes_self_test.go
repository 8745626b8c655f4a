package faults

import (
	"os/exec"
	"testing"
)

// TestOrphan finds and ends a process that was started in a captain's home and left behind.
func TestOrphan(t *testing.T) {
	home := t.TempDir()
	cmd := exec.Command("sleep", "600")
	cmd.Env = []string{"HOME=" + home}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	left := processes(home)
	if len(left) != 1 || left[0].pid != cmd.Process.Pid || !left[0].is("sleep 600") {
		t.Errorf("left: %+v", left)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	if n := extinguish(home); n == 0 || len(processes(home)) > 0 {
		t.Errorf("%d were ended, left: %+v", n, processes(home))
	}
	<-ended
}
