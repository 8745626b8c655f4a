package stage

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks/planfile"

	"github.com/gofrs/flock"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/launch/repository"
)

// emptyHub returns the hub of a captain's empty home.
func emptyHub(t *testing.T) fleet.Hub {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	return fleet.Hub{Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"), Config: filepath.Join(home, "config"), Cache: filepath.Join(home, "cache"), Runtime: filepath.Join(home, "run")}
}

func silent(api.Progress) {}

func TestStage(t *testing.T) {
	hub := emptyHub(t)
	script, err := agent.Lookup("script")
	if err != nil {
		t.Fatal(err)
	}
	plan, defects := planfile.Open("example:tiny")
	if err := defects.Err(); err != nil {
		t.Fatal(err)
	}
	const id = "voyage-0123456789ab"
	s, err := Make(t.Context(), hub, &Voyage{
		Voyage: fleet.Voyage{ID: id, Branch: id, TaskList: id + "-tasks", ShipCount: 2, Prompt: plan.Objective}, Plan: plan, Work: &repository.Work{Repo: plan.Repo}, Lead: script,
	}, silent)
	if err != nil {
		t.Fatal(err)
	}
	if dirs, _ := fleet.Voyages(hub.Voyages).List(); len(dirs) > 0 {
		t.Error("a voyage is there before it is whole")
	}
	d, err := s.Launch()
	if err != nil {
		t.Fatal(err)
	}
	s.Remove()
	v, err := fleet.LoadVoyage(d)
	if err != nil {
		t.Fatal(err)
	}
	if v.ID != d.ID() || v.Base == "" {
		t.Errorf("got %+v", v)
	}
	info, err := os.Stat(d.VerifyFile())
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("verify.sh: %v", err)
	}
	if prompt, err := os.ReadFile(d.Prompt()); err != nil || !strings.Contains(string(prompt), plan.Objective) {
		t.Errorf("prompt: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(d.TasksDir(), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	seeded := 0
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var task tasks.Task
		if err := json.Unmarshal(raw, &task); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if task.Internal() {
			continue
		}
		if seeded++; task.Metadata["voyage"] != v.ID {
			t.Errorf("%s: %v", f, task.Metadata)
		}
	}
	if seeded != len(plan.Tasks) {
		t.Errorf("%d tasks of %d", seeded, len(plan.Tasks))
	}
	head, err := exec.Command("git", "-C", d.Workspace(), "rev-parse", "--abbrev-ref", "HEAD").Output()
	if err != nil || strings.TrimSpace(string(head)) != v.Branch {
		t.Errorf("on branch %q, %v", head, err)
	}
	if left, _ := os.ReadDir(hub.Voyages); len(left) != 1 {
		t.Errorf("%d things in the voyages", len(left))
	}
}

func TestStageLeavesNothing(t *testing.T) {
	hub := emptyHub(t)
	script, _ := agent.Lookup("script")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Make(ctx, hub, &Voyage{Voyage: fleet.Voyage{ID: "voyage-1"}, Work: &repository.Work{}, Lead: script}, silent); err == nil {
		t.Fatal("made a voyage although it was interrupted")
	}
	if left, _ := os.ReadDir(hub.Voyages); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// The directory of a killed command is removed; a directory that another command is making stays.
func TestSweep(t *testing.T) {
	voyages := t.TempDir()
	for _, dir := range []string{".fitting-dead/voyage-dead", ".fitting-live", ".fitting-new"} {
		if err := os.MkdirAll(filepath.Join(voyages, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	lock := flock.New(filepath.Join(voyages, ".fitting-live", "lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock() //nolint:errcheck // the test ends
	long := time.Now().Add(-time.Hour)
	for _, name := range []string{".fitting-dead", ".fitting-live"} {
		if err := os.Chtimes(filepath.Join(voyages, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	removeLeftovers(voyages)
	left, err := os.ReadDir(voyages)
	if err != nil || len(left) != 2 || left[0].Name() != ".fitting-live" || left[1].Name() != ".fitting-new" {
		t.Errorf("left %v, %v", left, err)
	}
}
