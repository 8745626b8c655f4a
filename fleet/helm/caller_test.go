package helm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/notify"
	"ocaptain/fleet/need"
	"ocaptain/fleet/retry"
	"ocaptain/tasks/eventually"
)

// calledBy has the captain called by a script that writes down what it is told and then does what text says.
func calledBy(t *testing.T, h *Helm, text string) (needs func() []need.Need) {
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

// stillCaller is the caller of a voyage that looks when the test does.
func stillCaller(t *testing.T, h *Helm, hub fleet.Hub) (*voyage, func() (again bool)) {
	t.Helper()
	v := openStill(t, h, newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "true")))
	v.caller.told, v.caller.pauses = &notify.Told{}, retry.Doubling(0, 0)
	return v, func() bool { return v.caller.look(t.Context(), v.currentBoard()) }
}

// The captain is called once for what needs him, also when helm is started anew.
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
	h.close()

	h = startHelm(t, hub)
	needs = calledBy(t, h, "")
	openIt(t, h, d).propose(fleet.Proposal{Ship: "ship-1", Text: "another"})
	eventually.Holds(t, "a call", func() bool { return len(needs()) > 0 })
	if got := needs(); got[0].Why != "another" {
		t.Errorf("told again of %+v", got)
	}
}

// A call that fails is tried again until it works, and the captain finds one note.
func TestCallFails(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	needs := calledBy(t, h, "echo no network >&2\nexit 1")
	v, look := stillCaller(t, h, hub)
	notes := func() (all []string) {
		for _, n := range v.notes.list() {
			if strings.Contains(n.Text, "could not be called") {
				all = append(all, n.Text)
			}
		}
		return all
	}
	v.propose(fleet.Proposal{Ship: "ship-0", Text: "one"})
	for i := range 5 {
		if !look() || len(needs()) != i+1 {
			t.Fatalf("it gives up after %d calls", len(needs()))
		}
	}
	v.caller.again = time.Now().Add(time.Hour)
	if !look() || len(needs()) != 5 {
		t.Errorf("it called %d times, before its time", len(needs()))
	}
	v.propose(fleet.Proposal{Ship: "ship-1", Text: "two"})
	look()
	if all := notes(); len(all) != 1 || !strings.Contains(all[0], `exit status 1: no network`) || !strings.Contains(all[0], "ocaptain doctor") {
		t.Errorf("notes: %q", all)
	}
	needs = calledBy(t, h, "")
	look()
	if look(); len(needs()) != 2 { // another command is run at once
		t.Errorf("once it works it told of %+v", needs())
	}
	h.notify = func() ([]string, error) { return []string{"no-such-program-here"}, nil }
	v.propose(fleet.Proposal{Ship: "ship-2", Text: "three"})
	if look(); len(notes()) != 2 || !strings.Contains(notes()[1], `"no-such-program-here" cannot be started`) {
		t.Errorf("when it fails anew: %q", notes())
	}
}

// The setting counts as it is: a need that came up before is told once there is a command.
func TestCallByWhatIsSetNow(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	v, look := stillCaller(t, h, hub)
	v.propose(fleet.Proposal{Ship: "ship-0", Text: "one"})
	if look() {
		t.Error("nobody is called, and it looks again soon")
	}
	needs := calledBy(t, h, "")
	if look(); len(needs()) != 1 {
		t.Errorf("told of %+v", needs())
	}
}

// What is of this install is told once, whatever voyages there are.
func TestInstallCallsOnce(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	needs := calledBy(t, h, "")
	inYard(t, h, adrift)
	h.sweeper.Look()
	for range 2 {
		v, look := stillCaller(t, h, hub)
		changes(v, func() { v.hinders.Disk.Set(time.Now().Add(-time.Hour), "the disk of "+v.dir.ID()+" is full") })
		if look() {
			t.Error("a voyage calls for it")
		}
		h.mu.Lock()
		h.voyages[v.dir.ID()] = v
		h.mu.Unlock()
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
