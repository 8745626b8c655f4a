package stage

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks/beads"
	"ocaptain/ui/cli/config"
)

// TestIssueOrder: tasks become issues as captain.yaml says, or when the repository has issues.
func TestIssueOrder(t *testing.T) {
	repo := func(issues string) (dir, commit string) {
		dir = t.TempDir()
		if issues != "" {
			if err := os.MkdirAll(filepath.Join(dir, ".beads"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, beads.Name), []byte(issues), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		return dir, "HEAD"
	}
	for name, c := range map[string]struct {
		yaml, issues string
		want         fleet.Beads
	}{
		"nothing":        {"", "", fleet.Beads{}},
		"some":           {"", `{"id":"kite-1","title":"x"}` + "\n", fleet.Beads{Prefix: "kite", Mode: "auto"}},
		"always":         {"beads: {mode: jsonl}", "", fleet.Beads{Prefix: "captain"}},
		"by bd":          {"beads: {mode: cli}", "", fleet.Beads{Prefix: "captain", Mode: "cli"}},
		"enabled":        {"beads: {enabled: true, syncOnComplete: true}", "", fleet.Beads{Prefix: "captain", Mode: "auto"}},
		"at the end":     {"beads: {enabled: true, syncOnComplete: false}", "", fleet.Beads{Prefix: "captain", AtEnd: true, Mode: "auto"}},
		"off":            {"beads: {mode: off}", `{"id":"kite-1","title":"x"}` + "\n", fleet.Beads{}},
		"not enabled":    {"beads: {enabled: false, mode: jsonl}", `{"id":"kite-1","title":"x"}` + "\n", fleet.Beads{}},
		"auto, and none": {"beads: {mode: auto}", "", fleet.Beads{}},
	} {
		path := filepath.Join(t.TempDir(), config.CaptainName)
		if err := os.WriteFile(path, []byte(c.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		dir, commit := repo(c.issues)
		file := config.ReadCaptain(path, true)
		got, _, err := IssuesOf(file, false).read(t.Context(), dir, commit)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
