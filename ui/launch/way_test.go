package launch_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/sync/mutagen/mutagentest"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
)

// The captain's choice of a way overrides the plan's, which overrides the configuration's; a shared tree needs Mutagen, and no
// review.
func TestWay(t *testing.T) {
	y := realYard(t)
	plan := func(sync string) string {
		dir := envPlan(t, y, "none")
		writeFile(t, filepath.Join(dir, "voyage.json"), `{"name": "env", "repo": "none"`+sync+`}`)
		return dir
	}
	check := func(w launch.Wish, sync string) (string, error) {
		t.Helper()
		w.Plan, w.Agent, w.Provider = plan(sync), "script", "local"
		o, err := y.CheckWish(t.Context(), w)
		return o.Sync, err
	}
	const live = `, "sync": "live"`
	good := os.Getenv("PATH")
	mutagentest.InPath(t)
	for _, c := range []struct {
		name, wish, plan, config, want string
	}{
		{"by default", "", "", "", ""},
		{"by the captain", "live", "", "", fleet.SyncLive},
		{"by the plan", "", live, "", fleet.SyncLive},
		{"by the configuration", "", "", "sync: live\n", fleet.SyncLive},
		{"by the captain before the plan", "git", live, "", ""},
		{"by the plan before the configuration", "", `, "sync": "git"`, "sync: live\n", ""},
	} {
		writeFile(t, y.Hub.ConfigFile(), c.config)
		if got, err := check(launch.Wish{Sync: c.wish}, c.plan); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	writeFile(t, y.Hub.ConfigFile(), "")
	var p *problem.Problem
	if _, err := check(launch.Wish{Sync: "live", Review: true}, ""); !errors.As(err, &p) || p.Kind != problem.Usage || p.Field != problem.Sync {
		t.Errorf("with a review: %v", err)
	}
	if _, err := check(launch.Wish{Sync: "both"}, ""); !errors.As(err, &p) || p.Kind != problem.Usage {
		t.Errorf("an unknown way: %v", err)
	}
	old := t.TempDir()
	writeFile(t, filepath.Join(old, "mutagen"), "#!/bin/sh\necho 0.1.0\n")
	if err := os.Chmod(filepath.Join(old, "mutagen"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", old+string(os.PathListSeparator)+good)
	if _, err := check(launch.Wish{Sync: "live"}, ""); !errors.As(err, &p) || p.Kind != problem.Missing || !strings.Contains(p.Hint, "--sync git needs none") {
		t.Errorf("an old Mutagen: %v", err)
	}
	if _, err := check(launch.Wish{}, ""); err != nil {
		t.Errorf("without a tree that all share an old Mutagen is in the way: %v", err)
	}
}
