//go:build long

package voyage

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/summed"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// harm is one way to damage a file; old is what it held some time ago.
type harm struct {
	name string
	do   func(path string, old []byte) error
}

func harms(rnd *rand.Rand) []harm {
	rewrite := func(path string, change func([]byte) []byte) error {
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, change(raw), 0o600)
	}
	return []harm{
		{"missing", func(path string, _ []byte) error { return os.Remove(path) }},
		{"empty", func(path string, _ []byte) error { return os.Truncate(path, 0) }},
		{"truncated", func(path string, _ []byte) error {
			return rewrite(path, func(b []byte) []byte { return b[:rnd.IntN(len(b))] })
		}},
		{"flipped", func(path string, _ []byte) error {
			return rewrite(path, func(b []byte) []byte { b[rnd.IntN(len(b))] ^= 1 << rnd.IntN(8); return b })
		}},
		{"older", func(path string, old []byte) error { return os.WriteFile(path, old, 0o600) }},
		{"a directory", func(path string, _ []byte) error {
			err := os.ErrExist
			for range 100 { // what watches a task file may write it again in between
				if err = os.RemoveAll(path); err == nil {
					err = os.Mkdir(path, 0o755)
				}
				if err == nil {
					return os.Mkdir(filepath.Join(path, "in the way"), 0o755)
				}
			}
			return err
		}},
		{"unreadable", func(path string, _ []byte) error { return os.Chmod(path, 0) }},
	}
}

// TestDamages damages each file of a voyage under way in each way, while helm is down and while it runs, one after
// the other on the same voyage: completed tasks stay completed, each ship keeps its claim, helm knows its ships, and at the end
// every task was merged once.
func TestDamages(t *testing.T) {
	t.Parallel()
	whole := t
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Name: "damaged"}, "#!/bin/sh\n",
		helmtest.Task("1", "echo 1 >one"), helmtest.Task("2", "echo 2 >two"),
		tasks.Task{ID: "3", Subject: "Task 3", Status: tasks.Pending, BlockedBy: []string{"1", "2"}, Metadata: map[string]any{"run": "until test -e ~/gate; do sleep 0.3; done; echo 3 >three"}},
		tasks.Task{ID: "4", Subject: "Task 4", Status: tasks.Pending, BlockedBy: []string{"3"}, Metadata: map[string]any{"run": "echo 4 >four"}})
	paths := []string{d.Events(), d.Voyage(), d.FleetFile(), d.BoardFile(), d.UsageFile(), filepath.Join(d.TasksDir(), "1.json"), filepath.Join(d.TasksDir(), "4.json")}

	h := startHelm(t, hub)
	v := openIt(t, h, d)
	use := func() { // so that there is something to lose
		v.Spending.Spend("ship-9", 0, time.Now(), costing(1))
		v.keeper.Save()
	}
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	use()
	old := map[string][]byte{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		old[path] = raw
	}
	check := func(v *Voyage) {
		t.Helper()
		snap := v.Store.Snapshot()
		if len(snap.Tasks) != 4 {
			t.Fatalf("%d tasks", len(snap.Tasks))
		}
		for i, want := range []tasks.Status{tasks.Completed, tasks.Completed, tasks.InProgress, tasks.Pending} {
			if s := snap.Tasks[i]; s.Status != want || i < 3 && s.Owner != "ship-0" {
				t.Fatalf("task %s is %s, of %q, epoch %d, %q", s.ID, s.Status, s.Owner, s.Epoch, s.Reason)
			}
		}
		b := v.Board()
		if len(b.Ships) != 1 || b.Ships[0].Phase != fleet.Afloat || b.Phase != fleet.Sailing || b.Voyage.Name != "damaged" {
			t.Fatalf("the board shows %s %q with %+v", b.Phase, b.Voyage.Name, b.Ships)
		}
	}
	sailing := func(v *Voyage) {
		t.Helper()
		eventually.Holds(t, "two tasks are merged and the third is under way", func() bool {
			s := v.Store.Snapshot()
			return s.Task("1").Status == tasks.Completed && s.Task("2").Status == tasks.Completed && v.Records.IsCheckedOut(s.Task("3"))
		})
	}
	sailing(v)
	eventually.Holds(t, "the ship's state", func() bool { return v.Board().Ships[0].State.Task == "3" })

	for _, path := range []string{d.Events(), d.FleetFile(), paths[5], paths[6]} { // of all others, tests of package saved
		for _, how := range harms(rnd) {
			t.Run(filepath.Base(path)+" "+how.name+", helm down", func(t *testing.T) {
				use()
				if err := v.Store.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				h.Close()
				if err := how.do(path, old[path]); err != nil {
					t.Fatal(err)
				}
				if dirs, err := fleet.Voyages(hub.Voyages).List(); err != nil || len(dirs) != 1 {
					t.Fatalf("listed are %v, %v", dirs, err)
				}
				h = startHelm(whole, hub) // which is to outlive this part
				v = openIt(t, h, d)
				check(v)
				v.keeper.Save()
				if _, err := fleet.LoadBoard(d); err != nil {
					t.Error(err)
				}
			})
			if t.Failed() {
				return
			}
		}
	}
	for _, path := range paths {
		for _, how := range harms(rnd) {
			t.Run(filepath.Base(path)+" "+how.name+", helm running", func(t *testing.T) {
				if err := v.Store.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				use()
				if err := how.do(path, old[path]); err != nil {
					t.Fatal(err)
				}
				v.keeper.Look()
				check(v)
				v.keeper.Save()
				eventually.Holds(t, "it is back", func() bool {
					raw, err := os.ReadFile(path)
					return err == nil && len(raw) > 0 && (path == d.Events() || json.Valid(raw))
				})
				untouched(t, d)
			})
			if t.Failed() {
				return
			}
		}
	}
	h.Close() // what was written while it ran is enough for the next one
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	check(v)
	if err := os.WriteFile(filepath.Join(v.Board().Ships[0].Home, "gate"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if t.Failed() {
			b := v.Board()
			t.Logf("%s, %+v\n%+v\n%+v", b.Phase, b.Ships, b.Tasks, b.Notes)
		}
	}()
	eventually.Holds(t, "complete", v.is(fleet.Complete))
	log := git(t, d, "log", "--format=%(trailers:key=Ocaptain-Task,valueonly)")
	if got := strings.Fields(log); fmt.Sprint(got) != "[4 3 2 1]" && fmt.Sprint(got) != "[4 3 1 2]" {
		t.Errorf("merged were %s", got)
	}
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	none(t, h, d)
}

// untouched makes sure that every file can be read and says the same as helm.
func untouched(t *testing.T, d fleet.Dir) {
	t.Helper()
	var info fleet.Voyage
	var f fleet.Fleet
	if err := summed.Read(d.Voyage(), &info); err != nil || info.Name != "damaged" {
		t.Errorf("%v, %+v", err, info)
	}
	if err := summed.Read(d.FleetFile(), &f); err != nil || len(f.Ships) != 1 {
		t.Errorf("%v, %+v", err, f)
	}
	if _, err := fleet.LoadBoard(d); err != nil {
		t.Error(err)
	}
	facts, err := fleet.ReadFacts(d)
	if err != nil || facts.Voyage == nil || facts.Fleet == nil || len(facts.Fleet.Ships) != 1 {
		t.Errorf("the journal tells %+v, %v", facts, err)
	}
	if raw, err := os.ReadFile(d.Events()); err != nil || !bytes.Contains(raw, []byte(`"helm.checkout"`)) {
		t.Errorf("the journal has %d bytes, %v", len(raw), err)
	}
}

// TestOnlyMachinesAreLeft loses every file that tells of a voyage's ships: the record of machines does, and they can be sunk.
func TestOnlyMachinesAreLeft(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"), helmtest.Task("2", "sleep 600"))
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "one task is merged", func() bool { return v.Store.Snapshot().Task("1").Status == tasks.Completed })
	if err := v.Store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.Close()
	for _, path := range []string{d.Events(), d.FleetFile(), d.BoardFile()} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	b := v.Board()
	if len(b.Ships) != 1 || !b.Ships[0].IsOut() || b.Ships[0].Name != "ship-0" {
		t.Errorf("ships are %+v", b.Ships)
	}
	if len(b.Tasks) != 2 || b.Tasks[0].Status != tasks.Completed || b.Tasks[1].Status == tasks.Completed {
		t.Errorf("tasks are %+v", b.Tasks)
	}
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	none(t, h, d)
}

// TestSecretsAreWrittenAgain damages the file of what the agents get while helm runs: another ship can be had, and
// a sunk voyage has no such file.
func TestSecretsAreWrittenAgain(t *testing.T) {
	t.Parallel()
	h := startHelm(t, helmtest.Hub(t))
	d := helmtest.Voyage(t, h.Hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"))
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1, Env: map[string]string{"SAID": "aye"}}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	for name, harm := range map[string]func() error{
		"flipped": func() error { return os.WriteFile(d.Secrets(), []byte("{\"env\":{}"), 0o600) },
		"gone":    func() error { return os.Remove(d.Secrets()) },
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		if own, err := v.Secrets.Load(); err != nil || own.Env["SAID"] != "aye" {
			t.Errorf("%s: agents get %+v, %v", name, own, err)
		}
		v.keeper.Look()
		var own secrets.Given
		if err := summed.Read(d.Secrets(), &own); err != nil || own.Env["SAID"] != "aye" {
			t.Errorf("%s: the file says %+v, %v", name, own, err)
		}
	}
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	v.keeper.Look()
	if _, err := os.Stat(d.Secrets()); !os.IsNotExist(err) {
		t.Errorf("a voyage that was sunk has secrets: %v", err)
	}
}
