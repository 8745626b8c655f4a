package holders

import (
	"os/exec"
	"slices"
	"testing"
)

// TestWriters: a git that waits for an editor counts for GitAtWork, but not for Writers.
func TestWriters(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) *exec.Cmd {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Dir = dir
		return cmd
	}
	if out, err := git("init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		args   []string
		writes bool
	}{
		{[]string{"-c", "core.editor=echo; read x; true", "commit", "--allow-empty"}, false},
		{[]string{"hash-object", "-w", "--stdin"}, true},
	} {
		cmd := git(c.args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if !c.writes {
			_, _ = out.Read(make([]byte, 1)) // the editor runs
		}
		for !GitAtWork(dir) { // it may still be about to exec git
			if cmd.ProcessState != nil {
				t.Fatal("it ended")
			}
		}
		if at := Writers(dir); len(at) > 0 != c.writes || slices.Contains(at, "") {
			t.Errorf("%q: %q", c.args, at)
		}
		_ = in.Close()
		_ = cmd.Wait()
	}
}
