package helm

import (
	"context"
	"os"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestOnlyMachinesAreLeft loses every file that tells of a voyage's ships: the record of machines does, and they can be sunk.
func TestOnlyMachinesAreLeft(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "echo 1 >one"), task("2", "sleep 600"))
	v := openIt(t, h, d)
	if err := v.provisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "one task is merged", func() bool { return v.store.Snapshot().Task("1").Status == tasks.Completed })
	if err := v.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.close()
	for _, path := range []string{d.Events(), d.FleetFile(), d.BoardFile()} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	b := v.currentBoard()
	if len(b.Ships) != 1 || !b.Ships[0].IsOut() || b.Ships[0].Name != "ship-0" {
		t.Errorf("ships are %+v", b.Ships)
	}
	if len(b.Tasks) != 2 || b.Tasks[0].Status != tasks.Completed || b.Tasks[1].Status == tasks.Completed {
		t.Errorf("tasks are %+v", b.Tasks)
	}
	if err := v.sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	none(t, h, d)
}

// TestSecretsAreWrittenAgain damages the file of what the agents get while helm runs: another ship can be had, and
// a sunk voyage has no such file.
func TestSecretsAreWrittenAgain(t *testing.T) {
	t.Parallel()
	h := startHelm(t, newHub(t))
	d := newVoyage(t, h.hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "echo 1 >one"))
	v := openIt(t, h, d)
	if err := v.provisionFirst(context.Background(), api.SailRequest{Ships: 1, Env: map[string]string{"SAID": "aye"}}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	for name, harm := range map[string]func() error{
		"flipped": func() error { return os.WriteFile(d.Secrets(), []byte("{\"env\":{}"), 0o600) },
		"gone":    func() error { return os.Remove(d.Secrets()) },
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		if own, err := v.loadSecrets(); err != nil || own.Env["SAID"] != "aye" {
			t.Errorf("%s: agents get %+v, %v", name, own, err)
		}
		v.keepFiles()
		var own secrets
		if err := fleet.Load(d.Secrets(), &own); err != nil || own.Env["SAID"] != "aye" {
			t.Errorf("%s: the file says %+v, %v", name, own, err)
		}
	}
	if err := v.sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	v.keepFiles()
	if _, err := os.Stat(d.Secrets()); !os.IsNotExist(err) {
		t.Errorf("a voyage that was sunk has secrets: %v", err)
	}
}
