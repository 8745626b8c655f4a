//go:build long

package faults

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestClock sets the clock of a running program ahead and right again.
func TestClock(t *testing.T) {
	home := t.TempDir()
	flags, err := jumpingClocks(home)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(home, "now")
	build := exec.Command("go", slices.Concat([]string{"build"}, flags, []string{"-o", program, "./testdata/now"})...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = []string{"HOME=" + home}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	lines := bufio.NewScanner(out)
	for _, by := range []time.Duration{0, 26 * time.Hour, -26 * time.Hour, 0} {
		if err := setClock(home, by); err != nil {
			t.Fatal(err)
		}
		for wrong := by + time.Hour; (wrong - by).Abs() > 10*time.Minute; {
			if !lines.Scan() {
				t.Fatalf("it ended, with a clock that is wrong by %s, not %s", wrong, by)
			}
			var now int64
			if _, err := fmt.Sscan(lines.Text(), &now); err != nil {
				t.Fatal(err)
			}
			wrong = time.Until(time.Unix(now, 0)).Round(time.Minute)
		}
	}
}
