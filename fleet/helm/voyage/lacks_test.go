package voyage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestLacks has tasks miss three programs: the captain has one, shows one to ships, and lacks one. He hears of the first, once.
func TestLacks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "frobnicate"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n",
		task("1", "frobnicate; bash -c frobnicate; echo 'zsh: command not found: frobnicate'; nobodys; PATH= git; echo 1 >one"), task("2", "frobnicate; echo 2 >two"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the tasks are completed", func() bool {
		all := v.store.Snapshot()
		return all.Task("1").Status == tasks.Completed && all.Task("2").Status == tasks.Completed
	})
	told := func() (notes []string) {
		for _, n := range v.Board().Notes {
			if strings.Contains(n.Text, "local.bind") {
				notes = append(notes, n.Text)
			}
		}
		return notes
	}
	eventually.Holds(t, "the captain is told", func() bool { return len(told()) > 0 })
	if notes := told(); len(notes) != 1 || !strings.Contains(notes[0], "does not see frobnicate") || !strings.Contains(notes[0], dir) {
		t.Errorf("he is told: %q", notes)
	}
}
