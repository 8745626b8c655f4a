package voyage

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks/eventually"
)

// A voyage that is being opened or closed does not hold up the opening of another one.
func TestOpenBesideAnother(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	slow, other := newVoyage(t, hub, fleet.Voyage{Name: "slow"}, ""), newVoyage(t, hub, fleet.Voyage{Name: "other"}, "")
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
