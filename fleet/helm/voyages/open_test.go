package voyages

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// A voyage that is being opened or closed does not hold up the opening of another one.
func TestOpenBesideAnother(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := newSet(t, hub)
	slow, other := helmtest.Voyage(t, hub, fleet.Voyage{Name: "slow"}, ""), helmtest.Voyage(t, hub, fleet.Voyage{Name: "other"}, "")
	_, gate := h.opened(slow.ID())
	if err := gate.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	waits, opened := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := h.open(slow)
		waits <- err
	}()
	go func() {
		_, err := h.open(other)
		opened <- err
	}()
	if err := eventually.Receives(t, "the other voyage", opened); err != nil {
		t.Error(err)
	}
	select {
	case err := <-waits:
		t.Errorf("a voyage is opened while it is closed: %v", err)
	default:
	}
	gate.Unlock()
	if err := eventually.Receives(t, "the slow voyage", waits); err != nil {
		t.Error(err)
	}
}

// A voyage that was sunk is forgotten, so that its directory can be removed, and it is opened again on demand.
func TestSunkIsForgotten(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := newSet(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "")
	openIt(t, h, d)
	if err := h.Sink(t.Context(), d.ID(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is forgotten", func() bool { return h.named(d.ID()) == nil })
	v, err := h.Voyage(d.ID())
	if err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "asked for again it is sunk", v.Roster.IsSunk) // and its fleet is saved
}
