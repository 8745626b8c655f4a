//go:build long

package voyage

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// TestRepositoryGoes takes the workspace away while a task fails: the captain is told what to put
// back, and it is no failure of the task. It goes on by itself when that is done.
func TestRepositoryGoes(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "until [ -e ~/go ]; do sleep 0.3; done; test -e ~/well || exit 3; echo 1 >one"))
	v := openIt(t, h, d)
	v.sets(t, 1)
	v.works(t, "ship-0")
	if err := os.Rename(d.Workspace(), string(d)+"-elsewhere"); err != nil {
		t.Fatal(err)
	}
	home := homeOf(t, v, "ship-0")
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(home, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("go")
	eventually.Holds(t, "it needs the repository", func() bool { return slices.Contains(needsOf(v), fleet.NeedRepository) })
	if failed := v.Records.Failures(facts.Work, "1"); failed != 0 {
		t.Errorf("task 1 has %d failures", failed)
	}
	put("well")
	if err := os.Rename(string(d)+"-elsewhere", d.Workspace()); err != nil {
		t.Fatal(err)
	}
	accepted(t, v)
	if kinds := needsOf(v); len(kinds) > 0 {
		t.Errorf("at last it needs %v", kinds)
	}
}
