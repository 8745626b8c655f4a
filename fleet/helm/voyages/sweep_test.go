package voyages

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/machines"
)

// TestUnwantedIsTold has a machine that is to be destroyed stay: the captain is told why, once, until it is gone.
func TestUnwantedIsTold(t *testing.T) {
	t.Parallel()
	h := newSet(t, helmtest.Hub(t))
	v := openIt(t, h, helmtest.Voyage(t, h.Hub, fleet.Voyage{}, "true\n"))
	y := helmtest.InYard(t, h.Access)
	h.Sweeper.Look()
	y.Break(errors.New("out of order"))
	for range 2 {
		if err := h.Machines.Destroy(t.Context(), machines.ID{Provider: "local", Name: helmtest.Adrift}, "", nil); err == nil {
			t.Fatal("it is destroyed")
		}
	}
	if n := strings.Count(notesOf(v), helmtest.Adrift+" at local could not be destroyed and may cost you; "+fleet.UntilGone+": out of order"); n != 1 {
		t.Errorf("told %d times: %q", n, notesOf(v))
	}
	if got := slices.DeleteFunc(known(t, h), func(o machines.Orphan) bool { return !o.Unwanted }); len(got) != 1 || !got[0].Unwanted || got[0].Trouble == "" {
		t.Errorf("doomed: %+v", got)
	}
	if got := find(t, h, "local").Orphans; len(got) != 1 || !strings.HasPrefix(got[0].Trouble, "out of order") {
		t.Errorf("found %+v", got)
	}
	if r, _ := h.Machines.Get(machines.ID{Provider: "local", Name: helmtest.Adrift}); !strings.HasPrefix(r.Trouble, "out of order") {
		t.Errorf("on record is %+v", r)
	}
	y.Break(nil)
	if err := h.Machines.Destroy(t.Context(), machines.ID{Provider: "local", Name: helmtest.Adrift}, "", nil); err != nil {
		t.Error(err)
	}
	if !strings.Contains(notesOf(v), helmtest.Adrift+" at local is gone at last") {
		t.Errorf("told %q", notesOf(v))
	}
	if got := known(t, h); len(got) > 0 { // although no sweep ran
		t.Errorf("known: %+v", got)
	}
	helmtest.NoRecords(t, h.Hub)
}

// TestWorkThatStays leaves a machine alone whose work cannot be brought home, unless it may be lost.
func TestWorkThatStays(t *testing.T) {
	t.Parallel()
	h := newSet(t, helmtest.Hub(t))
	y := helmtest.InYard(t, h.Access)
	r := api.SweepRequest{Machines: []api.SweepTarget{{Provider: "local", Name: helmtest.Adrift}}, Sure: true}
	err := h.Sweeper.Sweep(context.Background(), r, func(api.Progress) {})
	if err == nil || !strings.Contains(err.Error(), "not destroyed, as its work could not be brought home") || !strings.Contains(err.Error(), "ocaptain sweep "+helmtest.Adrift+" --force") || len(y.Machines()) != 1 {
		t.Errorf("swept %q: %v", y.Machines(), err)
	}
	if r, there := h.Machines.Get(machines.ID{Provider: "local", Name: helmtest.Adrift}); !there || r.Unwanted {
		t.Errorf("on record is %+v", r)
	}
	r.Lose = true
	var news account
	if err := h.Sweeper.Sweep(context.Background(), r, news.report); err != nil || len(y.Machines()) > 0 || !strings.Contains(news.text(), "is lost, as it could not be brought home") {
		t.Errorf("left %q: %v\n%s", y.Machines(), err, news.text())
	}
}

// TestUnmounted sweeps nothing while the disk with the voyages may not be mounted, unless the captain is sure.
func TestUnmounted(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := newSet(t, hub)
	y := helmtest.InYard(t, h.Access)
	doubt := func() string {
		t.Helper()
		text, err := h.Machines.Unmounted(hub.Voyages)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if got := doubt(); got != hub.Voyages+" has not the voyage whose machines are remembered; is a disk unmounted, or was it moved?" {
		t.Errorf("empty: %q", got)
	}
	other := helmtest.Voyage(t, hub, fleet.Voyage{}, "true\n")
	if doubt() == "" {
		t.Error("no doubt, as there is a voyage without machines")
	}
	one := machines.Record{ID: machines.ID{Provider: "local", Name: other.ID() + "-ship0"}, Voyage: other.ID()}
	if err := h.Machines.Put(one); err != nil {
		t.Fatal(err)
	}
	if got := doubt(); got != "" {
		t.Errorf("with another's directory there: %q", got)
	}
	if err := os.RemoveAll(hub.Voyages); err != nil {
		t.Fatal(err)
	}
	if got := doubt(); got != hub.Voyages+" is not there; is a disk unmounted?" {
		t.Errorf("missing: %q", got)
	}
	r := api.SweepRequest{Machines: []api.SweepTarget{{Provider: "local", Name: helmtest.Adrift}}, Lose: true}
	if err := h.Sweeper.Sweep(context.Background(), r, func(api.Progress) {}); !errors.Is(err, api.ErrRefused) || !strings.Contains(err.Error(), "is a disk unmounted?") || len(y.Machines()) != 1 {
		t.Errorf("swept: %v", err)
	}
	r.Sure = true
	if err := h.Sweeper.Sweep(context.Background(), r, func(api.Progress) {}); err != nil || len(y.Machines()) > 0 {
		t.Errorf("not swept: %v", err)
	}
	one.Unwanted = true
	if err := h.Machines.Put(one); err != nil {
		t.Fatal(err)
	}
	if got := doubt(); got != "" {
		t.Errorf("when all are being destroyed: %q", got)
	}
}

// TestSweepOfWhatIsGone sweeps a machine that no provider lists any more: nothing is destroyed, and nothing fails.
func TestSweepOfWhatIsGone(t *testing.T) {
	t.Parallel()
	h := newSet(t, helmtest.Hub(t))
	var said []api.Progress
	gone := api.SweepRequest{Machines: []api.SweepTarget{{Provider: "local", Name: "voyage-0f0f0f0f0f0f-ship0"}}}
	err := h.Sweeper.Sweep(t.Context(), gone, func(p api.Progress) { said = append(said, p) })
	if err != nil || len(said) != 1 || said[0].State != api.StepNote || !strings.Contains(said[0].Text, "local does not list it any more") {
		t.Errorf("%v, %+v", err, said)
	}
}

// TestSweepOfADamagedVoyage sweeps a machine whose voyage cannot be read: that voyage may still need the machine.
func TestSweepOfADamagedVoyage(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "")
	if err := os.WriteFile(d.FleetFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newSet(t, hub)
	of := api.SweepRequest{Machines: []api.SweepTarget{{Provider: "local", Name: d.ID() + "-ship0"}}}
	if err := h.Sweeper.Sweep(t.Context(), of, func(api.Progress) {}); !errors.Is(err, api.ErrRefused) || !strings.Contains(err.Error(), "a voyage has it") {
		t.Errorf("it is %v", err)
	}
}
