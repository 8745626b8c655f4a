package voyages

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	gosync "sync"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/helm/voyage"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
)

func TestMain(m *testing.M) {
	proof = helmtest.Proof
	helmtest.Main(m)
}

// newSet makes a set that begins nothing by itself.
func newSet(t *testing.T, hub fleet.Hub) *Set {
	t.Helper()
	bin := supervise.Binary{Path: helmtest.Program, Digest: "test"}
	h, err := New(context.Background(), hub, bin, helmtest.NoHosts, func() ([]string, error) { return nil, nil }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// openIt takes up a voyage.
func openIt(t *testing.T, h *Set, d fleet.Dir) *voyage.Voyage {
	t.Helper()
	v, err := h.open(d)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// openStill opens a voyage that does nothing by itself.
func openStill(t *testing.T, h *Set, d fleet.Dir) *voyage.Voyage {
	t.Helper()
	v, err := voyage.Open(h.ctx, &h.common, d)
	if err != nil {
		t.Fatal(err)
	}
	h.opened(d.ID()) // makes its gate
	h.mu.Lock()
	defer h.mu.Unlock()
	h.voyages[d.ID()] = v
	return v
}

// sail sails a voyage with one ship.
func sail(t *testing.T, h *Set, d fleet.Dir) *voyage.Voyage {
	t.Helper()
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	return v
}

// sinkAfter sinks a voyage when the test ends.
func sinkAfter(t *testing.T, h *Set, d fleet.Dir) {
	t.Cleanup(func() {
		if err := h.Sink(context.Background(), d.ID(), func(api.Progress) {}); err != nil {
			t.Errorf("sink: %v", err)
		}
	})
}

func notesOf(v *voyage.Voyage) string { return fmt.Sprintf("%+v", v.Board().Notes) }

// find asks which machines no voyage has, at all providers or at those named.
func find(t *testing.T, h *Set, which ...string) api.Sweep {
	t.Helper()
	if len(which) == 0 {
		which = install.Asked(h.Hub, h.Machines)
	}
	found, err := h.Sweeper.Find(context.Background(), which, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// known returns the machines without a voyage that helm knows of, once it has looked.
func known(t *testing.T, h *Set) []machines.Orphan {
	t.Helper()
	all, err := h.Sweeper.Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func namesOf(all []machines.Orphan) []string {
	var out []string
	for _, o := range all {
		out = append(out, o.Provider+"/"+o.Name)
	}
	slices.Sort(out)
	return out
}

// account collects what is reported.
type account struct {
	mu  gosync.Mutex
	all []api.Progress
}

func (l *account) report(p api.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, p)
}

func (l *account) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, p := range l.all {
		b.WriteString(p.Ship + " " + p.Step + " " + p.State + " " + p.Text + "\n")
	}
	return b.String()
}
