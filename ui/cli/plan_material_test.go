package cli

import (
	"os"
	"path/filepath"
	"testing"

	"ocaptain/ui/cli/config"
	"ocaptain/ui/planmake"
)

// The target of a link is the place of a plan, whatever the plan is for, so that the link stays.
func TestPlaceBehindALink(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(base, "real"), filepath.Join(base, "link")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	b := &bridge{cwd: base}
	for _, repo := range []string{"none", base} {
		o := planmake.Order{Dir: link}
		gone, err := b.material(t.Context(), config.Config{}, &o, repo, func(string) {})
		gone()
		if err != nil || o.Dir != real {
			t.Errorf("for %s the place is %s, %v", repo, o.Dir, err)
		}
	}
}
