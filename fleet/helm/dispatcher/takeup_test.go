package dispatcher

import (
	"errors"
	"testing"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/notes/notestest"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// The captain hears why a worker cannot begin, and not when another worker has the task or helm ends.
func TestUnbegunIsTold(t *testing.T) {
	kite := notestest.New(t)
	s := New(Options{Core: &core.Core{Notes: kite.Notes}}).NewShip(ShipOptions{Name: "kite-1", Context: t.Context()})
	for _, err := range []error{
		mailbox.ErrFull, mailbox.ErrFull, &wire.Error{Code: proto.CodeAway}, &tasks.Refusal{Why: tasks.Taken}, errors.New("no room"), errors.New("no room"), mailbox.ErrFull,
	} {
		s.noteUnbegun("1", err)
	}
	if told := kite.Told(); len(told) != 2 || told[0] != "could not begin it: no room" || told[1] != "could not begin it: "+mailbox.ErrFull.Error() {
		t.Errorf("told %q", told)
	}
}

// A ship takes up one task at a time.
func TestTakesUpOneAtATime(t *testing.T) {
	s := New(Options{}).NewShip(ShipOptions{})
	if !s.begin() || s.begin() || !s.isTaking() {
		t.Error("it takes up two")
	}
}
