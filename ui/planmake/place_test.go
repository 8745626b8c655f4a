package planmake_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/agent/loopback"
	"ocaptain/ui/planmake"
)

// Files that appear at the plan's place while the agent works stay there, and the draft is kept.
func TestPlanThatAppears(t *testing.T) {
	t.Parallel()
	var other string
	plan := planner(good)
	o, _ := bench(t, func(r loopback.Request) loopback.Reply {
		if r.Step() == 2 {
			put(t, filepath.Join(other, "voyage.json"), "{}")
		}
		return plan(r)
	})
	other = o.Dir
	m, err := planmake.Make(t.Context(), o, func(string) {})
	if !errors.Is(err, planmake.ErrThere) || m.Draft == "" || m.Aside != "" {
		t.Errorf("%+v, %v", m, err)
	}
	if raw, err := os.ReadFile(filepath.Join(o.Dir, "voyage.json")); err != nil || string(raw) != "{}" {
		t.Errorf("the other plan is %q, %v", raw, err)
	}
	if _, err := os.Stat(filepath.Join(m.Draft, "voyage.json")); err != nil {
		t.Error(err)
	}
}

// A file or a link at the plan's place is never removed, even by force.
func TestNoDirectoryIsTakenAway(t *testing.T) {
	o, _ := bench(t, nil)
	base := t.TempDir()
	file, nowhere := filepath.Join(base, "file"), filepath.Join(base, "nowhere")
	put(t, file, "mine")
	if err := os.Symlink(filepath.Join(base, "gone"), nowhere); err != nil {
		t.Fatal(err)
	}
	for _, o.Dir = range []string{file, nowhere} {
		for _, o.Force = range []bool{false, true} {
			if _, err := planmake.Make(t.Context(), o, nil); err == nil || !strings.Contains(err.Error(), "is no directory") {
				t.Errorf("%s: %v", o.Dir, err)
			}
			if _, err := os.Lstat(o.Dir); err != nil {
				t.Error(err)
			}
		}
	}
}

// If the draft cannot be made, the result names no draft.
func TestNoDraft(t *testing.T) {
	o, _ := bench(t, nil)
	o.Dir = filepath.Join(t.TempDir(), strings.Repeat("x", 252)) // with .draft the name is too long
	if m, err := planmake.Make(t.Context(), o, nil); err == nil || m.Draft != "" {
		t.Errorf("%+v, %v", m, err)
	}
}
