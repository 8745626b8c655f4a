package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The doctor names the filters of a repository's own configuration, and runs none of them.
func TestFilterFindings(t *testing.T) {
	b := doctored(t)
	b.cwd = t.TempDir()
	if f := filterFindings(t.Context(), b); len(f) > 0 {
		t.Errorf("where there is no repository: %+v", f)
	}
	trap := filepath.Join(t.TempDir(), "trap")
	for _, args := range [][]string{{"init", "-q"}, {"config", "filter.evil\x1b.clean", "touch " + trap}, {"config", "filter.evil\x1b.process", "touch " + trap}} {
		if out, err := exec.Command("git", append([]string{"-C", b.cwd}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	f := filterFindings(t.Context(), b)
	if len(f) != 1 || f[0].State != healthy || !strings.Contains(f[0].Found, "defines filters: evil") || strings.Contains(f[0].Found, "\x1b") {
		t.Errorf("%+v", f)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a filter ran")
	}
}
