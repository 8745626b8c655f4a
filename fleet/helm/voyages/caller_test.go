package voyages

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/need"
	"ocaptain/tasks/eventually"
)

// Each need of this install is told once, whatever voyages there are.
func TestInstallCallsOnce(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := newSet(t, hub)
	dir := t.TempDir()
	path, log := filepath.Join(dir, "tell"), filepath.Join(dir, "log")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat >>\"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.notify = func() ([]string, error) { return []string{path, log}, nil }
	helmtest.InYard(t, h.Access)
	h.Sweeper.Look()
	for range 2 {
		d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "true"))
		v := openIt(t, h, d)
		if err := os.Rename(string(d), string(d)+".away"); err != nil {
			t.Fatal(err)
		}
		v.Notes.Tell("something that changes the board")
		eventually.Holds(t, "it cannot be written", func() bool { return !v.Hinders.Disk().IsNone() })
	}
	h.jobs.Go(h.callForInstall)
	var all []need.Need
	eventually.Holds(t, "the calls", func() bool {
		raw, _ := os.ReadFile(log)
		all = nil
		for line := range strings.Lines(string(raw)) {
			var n need.Need
			if err := json.Unmarshal([]byte(line), &n); err != nil {
				t.Fatalf("%v: %q", err, raw)
			}
			if n.Voyage == "" { // a voyage may miss its task files as well
				all = append(all, n)
			}
		}
		return len(all) > 1
	})
	slices.SortFunc(all, func(a, b need.Need) int { return strings.Compare(string(a.Kind), string(b.Kind)) }) // either comes first
	if len(all) != 2 || all[0].Kind != fleet.NeedDisk || all[1].Kind != fleet.NeedOrphans {
		t.Errorf("told of %+v", all)
	}
}
