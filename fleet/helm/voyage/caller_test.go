package voyage

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/notify"
	"ocaptain/fleet/need"
	"ocaptain/tasks/eventually"
)

// calledBy has the captain called by a script that writes down what it is told and then does what text says.
func calledBy(t *testing.T, h *Set, text string) (needs func() []need.Need) {
	t.Helper()
	dir := t.TempDir()
	path, log := filepath.Join(dir, "tell"), filepath.Join(dir, "log")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat >>\"$1\"\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	h.notify = func() ([]string, error) { return []string{path, log}, nil }
	return func() (all []need.Need) {
		raw, _ := os.ReadFile(log)
		for line := range strings.Lines(string(raw)) {
			var n need.Need
			if err := json.Unmarshal([]byte(line), &n); err != nil {
				t.Fatalf("%v: %q", err, raw)
			}
			all = append(all, n)
		}
		return all
	}
}

// The captain is called once for a need, even if helm restarts.
func TestCalledOnce(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "true"))
	h := startHelm(t, hub)
	needs := calledBy(t, h, "")
	openIt(t, h, d).propose(fleet.Proposal{Ship: "ship-0", Task: "1", Text: "delete \"it\"\x1b[31m"})
	eventually.Holds(t, "the call is written down", func() bool {
		told, err := notify.Load(d.Told(), h.began)
		return err == nil && len(told.Calls) == 1
	})
	got := needs()
	if len(got) != 1 || got[0].Voyage != d.ID() || got[0].Ship() != "ship-0" || got[0].Why != `delete "it"` || got[0].Command == "" {
		t.Fatalf("told of %+v", got)
	}
	h.Close()

	h = startHelm(t, hub)
	needs = calledBy(t, h, "")
	openIt(t, h, d).propose(fleet.Proposal{Ship: "ship-1", Text: "another"})
	eventually.Holds(t, "a call", func() bool { return len(needs()) > 0 })
	if got := needs(); got[0].Why != "another" {
		t.Errorf("told again of %+v", got)
	}
}

// What is of this install is told once, whatever voyages there are.
func TestInstallCallsOnce(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	needs := calledBy(t, h, "")
	inYard(t, h, adrift)
	h.Sweeper.Look()
	for range 2 {
		v := openStill(t, h, newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "true")))
		if err := os.Rename(string(v.dir), string(v.dir)+".away"); err != nil || v.hinders.TryRoom() == nil {
			t.Fatalf("it is written to: %v", err)
		}
	}
	h.jobs.Go(h.callForInstall)
	eventually.Holds(t, "the calls", func() bool { return len(needs()) > 1 })
	all := needs()
	slices.SortFunc(all, func(a, b need.Need) int { return strings.Compare(string(a.Kind), string(b.Kind)) }) // either comes first
	if len(all) != 2 || all[0].Kind != fleet.NeedDisk || all[1].Kind != fleet.NeedOrphans || all[0].Voyage != "" || all[1].Voyage != "" {
		t.Errorf("told of %+v", all)
	}
}

// Where the file of what was told is damaged, or is none, the captain is told again, and it is a file afterwards.
func TestToldIsDamaged(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"no JSON":     func(path string) error { return os.WriteFile(path, []byte("{\"calls\":"), 0o600) },
		"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			hub := newHub(t)
			d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "true"))
			if err := damage(d.Told()); err != nil {
				t.Fatal(err)
			}
			h := startHelm(t, hub)
			calledBy(t, h, "")
			openIt(t, h, d).propose(fleet.Proposal{Ship: "ship-0", Text: "one"})
			eventually.Holds(t, "the call is written down", func() bool {
				told, err := notify.Load(d.Told(), h.began)
				return err == nil && len(told.Calls) == 1
			})
		})
	}
}
