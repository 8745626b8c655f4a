package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/program/programtest"
	"ocaptain/tasks/beads"
)

// Git merges the issues of two branches with the merge driver that the help describes.
func TestBeadsMerge(t *testing.T) {
	program, err := programtest.Program(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, beads.Name)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write := func(lines ...string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-qm", "issues")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte(beads.Name+" merge=beads\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const one, two, three = `{"id":"k-1","title":"one"}`, `{"id":"k-2","title":"two"}`, `{"id":"k-3","title":"three"}`
	git("init", "-qb", "main")
	write(one)
	git("checkout", "-qb", "other")
	write(one, two)
	git("checkout", "-q", "main")
	write(one, three)
	git("config", "merge.beads.driver", program+" beads merge %O %A %B")
	git("merge", "-q", "-m", "both", "other")
	if got, err := os.ReadFile(file); err != nil || string(got) != one+"\n"+two+"\n"+three+"\n" {
		t.Errorf("merged, they are\n%s%v", got, err)
	}
}
