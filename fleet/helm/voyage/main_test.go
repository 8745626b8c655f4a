package voyage

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/private/privatetest"
	"ocaptain/fleet/program/programtest"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/slottest"
	"ocaptain/tasks"
)

// program is ocaptain as captains get it; ships run it.
var program string

// TestMain gets the program, and what all hubs of the tests have in common: the captain's git, and a short time of proof.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ocaptain-helm-")
	if err != nil {
		panic(err)
	}
	if program, err = programtest.Program(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	proof = 4 * time.Second // longer than what the stand-ins take to do something late
	for name, value := range map[string]string{"HOME": dir, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	if err := knowsGit(dir); err != nil {
		panic(err)
	}
	_ = flag.Set("test.parallel", "4") // they wait most of the time; go test -parallel says otherwise
	remove := privatetest.Runtime()
	code := m.Run()
	remove()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// knowsGit writes the captain's name and address into the git configuration of a home.
func knowsGit(home string) error {
	config := "[user]\n\tname = Ada Captain\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644)
}

// newHub gives the test a hub of its own, so that others may run beside it. HOME is that of all tests.
func newHub(t testing.TB) fleet.Hub {
	t.Helper()
	slottest.Take(t, 2) // most sail one ship or two, and helm is this process
	home := t.TempDir()
	if err := knowsGit(home); err != nil {
		t.Fatal(err)
	}
	h := hubAt(t, home)
	t.Cleanup(func() {
		endShips(t, h)
		_ = os.RemoveAll(h.Runtime)
	})
	return h
}

// hubAt is the hub of a captain with that home.
func hubAt(t testing.TB, home string) fleet.Hub {
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
	boxes, err := local.Of(describe.Env{Hub: h, Exe: program})
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

// startHelm starts a helm in this process, without a guard and a socket. It knows no hosts
// but those given.
func startHelm(t testing.TB, hub fleet.Hub, hosts ...string) *Set {
	t.Helper()
	return startHelmAt(t, hub, describe.Settings{Hosts: func() ([]string, error) { return hosts, nil }})
}

func startHelmAt(t testing.TB, hub fleet.Hub, settings describe.Settings) *Set {
	t.Helper()
	bin := supervise.Binary{Path: program, Digest: "test"}
	h, err := NewSet(context.Background(), hub, bin, settings, func() ([]string, error) { return nil, nil }, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// newVoyage makes the directory of a voyage with tasks, as sail leaves it to helm.
func newVoyage(t testing.TB, hub fleet.Hub, info fleet.Voyage, verify string, plan ...tasks.Task) fleet.Dir {
	t.Helper()
	info.ID = fleet.NewID()
	info.Branch, info.TaskList, info.Provider, info.Agent = info.ID, info.ID+"-tasks", cmp.Or(info.Provider, "local"), "script"
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
		addTasks(t, d, plan)
	}
	return d
}

func openIt(t testing.TB, h *Set, d fleet.Dir) *Voyage {
	t.Helper()
	v, err := h.open(d)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// openStill takes up a voyage that does nothing by itself: only the test acts.
func openStill(t testing.TB, h *Set, d fleet.Dir) *Voyage {
	t.Helper()
	v, err := openVoyage(h, d)
	if err != nil {
		t.Fatal(err)
	}
	h.opened(d.ID())
	h.mu.Lock()
	defer h.mu.Unlock()
	h.voyages[d.ID()] = v
	return v
}

// sinkAfter destroys what the voyage has when the test ends.
func sinkAfter(t *testing.T, h *Set, d fleet.Dir) {
	t.Cleanup(func() {
		v, err := h.open(d)
		if err == nil {
			err = v.Fit.Sink(context.Background(), func(api.Progress) {})
		}
		if err != nil {
			t.Errorf("sink: %v", err)
		}
	})
}

// is makes a condition of the voyage's phase.
func (v *Voyage) is(p fleet.Phase) func() bool {
	return when(v, func() bool { return v.roster.Now().Phase == p })
}

// completion is the request of the ship that holds a task.
func completion(t *tasks.State) proto.CompleteRequest {
	return proto.CompleteRequest{Claim: proto.Claim{Task: t.ID, Epoch: t.Epoch}}
}
