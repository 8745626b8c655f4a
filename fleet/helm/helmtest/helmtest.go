// Package helmtest makes hubs and voyages for the tests of helm.
package helmtest

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/private/privatetest"
	"ocaptain/fleet/program/programtest"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/slottest"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
)

// Program is ocaptain as captains get it; ships run it.
var Program string

// Proof is the minimum time between two failed lookups that prove that a machine is gone. What the stand-ins of
// services do late, they do within less time.
const Proof = 4 * time.Second

// Main runs the tests of a package with what all hubs have in common: the program, and the captain's git.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "ocaptain-helm-")
	if err != nil {
		panic(err)
	}
	if Program, err = programtest.Program(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for name, value := range map[string]string{"HOME": dir, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	if err := configureGit(dir); err != nil {
		panic(err)
	}
	_ = flag.Set("test.parallel", "4") // they wait most of the time; go test -parallel says otherwise
	remove := privatetest.Runtime()
	code := m.Run()
	remove()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// configureGit writes the captain's name and address into the git configuration of a home.
func configureGit(home string) error {
	config := "[user]\n\tname = Ada Captain\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644)
}

// Hub gives the test a hub of its own. HOME is that of all tests.
func Hub(t testing.TB) fleet.Hub {
	t.Helper()
	slottest.Take(t, 2) // most tests sail one ship or two, and helm is this process
	home := t.TempDir()
	if err := configureGit(home); err != nil {
		t.Fatal(err)
	}
	h := HubAt(t, home)
	t.Cleanup(func() {
		endShips(t, h)
		_ = os.RemoveAll(h.Runtime)
	})
	return h
}

// HubAt returns the hub of a captain with that home.
func HubAt(t testing.TB, home string) fleet.Hub {
	t.Helper()
	h := fleet.Hub{
		Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"),
		Config: filepath.Join(home, "config"), Cache: filepath.Join(home, "cache"),
	}
	var err error
	if h.Runtime, err = fleet.RuntimeDir(h.State); err != nil {
		t.Fatal(err)
	}
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	return h
}

// endShips ends what is left of a test's ships, which write in its directory as long as they live.
func endShips(t testing.TB, h fleet.Hub) {
	boxes, err := local.Of(describe.Env{Hub: h, Exe: Program})
	if err != nil {
		t.Error(err)
		return
	}
	left, err := boxes.List(context.Background(), nil)
	if err != nil {
		t.Error(err)
	}
	for _, m := range left {
		if err := boxes.Destroy(context.Background(), m.Name); err != nil {
			t.Error(err)
		}
	}
}

// NoHosts says that the captain has no hosts.
var NoHosts = describe.Settings{Hosts: func() ([]string, error) { return nil, nil }}

// Voyage makes the directory of a voyage with tasks, as sail leaves it to helm. Its ships are local and have the script agent, unless info says
// otherwise.
func Voyage(t testing.TB, hub fleet.Hub, info fleet.Voyage, verify string, plan ...tasks.Task) fleet.Dir {
	t.Helper()
	info.ID = fleet.NewID()
	info.Branch, info.TaskList, info.Provider, info.Agent = info.ID, info.ID+"-tasks", cmp.Or(info.Provider, "local"), cmp.Or(info.Agent, "script")
	d := fleet.Dir(filepath.Join(hub.Voyages, info.ID))
	if err := os.MkdirAll(d.Artifacts(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.VerifyFile(), []byte(verify), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", info.ID, d.Workspace()},
		{"-C", d.Workspace(), "commit", "-q", "--allow-empty", "-m", "begin"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := info.Save(d); err != nil {
		t.Fatal(err)
	}
	if len(plan) > 0 {
		AddTasks(t, d, plan)
	}
	return d
}

// AddTasks adds tasks to a voyage that no helm has open.
func AddTasks(t testing.TB, d fleet.Dir, plan []tasks.Task) {
	t.Helper()
	j, err := journal.Open(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	s, err := dirstore.Open(d.TasksDir(), j, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Add(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
}

// Task makes a task for the script agent, which runs a command.
func Task(id, run string) tasks.Task {
	return tasks.Task{ID: id, Subject: "Task " + id, Status: tasks.Pending, Metadata: map[string]any{"run": run}}
}
