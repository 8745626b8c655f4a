package fit

import (
	"errors"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
)

// MachineTold records the result of an attempt to destroy a machine in the machine's ship. It reports whether there
// is such a ship.
func (f *Fit) MachineTold(id machines.ID, err error) bool {
	text := ""
	var unproven *machines.Unproven
	switch {
	case errors.As(err, &unproven):
		text = err.Error()
	case err != nil:
		text = "it could not be destroyed; " + fleet.UntilGone + ": " + clean.Bound(err.Error(), clean.MaxText)
	}
	ships := f.o.Roster.Now().Ships
	i := slices.IndexFunc(ships, func(s *fleet.Ship) bool { return machines.IDOf(f.o.Dir.ID(), s) == id })
	switch {
	case i < 0 || ships[i].Phase != fleet.Going && ships[i].Phase != fleet.Failed:
		return false
	case ships[i].Phase == fleet.Going:
		f.undone.Send()
		if ships[i].Error == text {
			return true
		}
	case ships[i].Stays == text:
		return true
	}
	f.o.Roster.ChangeAnyway(func(all *fleet.Fleet) {
		if s := all.ShipNamed(ships[i].Name); s != nil && machines.IDOf(f.o.Dir.ID(), s) == id {
			destroyed(all, s, text, err)
		}
	})
	return true
}

// destroyed records in a ship the result of an attempt to destroy its machine.
func destroyed(all *fleet.Fleet, s *fleet.Ship, text string, err error) {
	if s.Phase != fleet.Going && s.Phase != fleet.Failed {
		return
	}
	if err == nil {
		s.StaysAt = time.Time{}
	} else if s.StaysAt.IsZero() {
		s.StaysAt = time.Now()
	}
	s.Denied = provider.IsDenied(err)
	switch {
	case s.Phase == fleet.Going:
		s.Error = text
	case err == nil:
		s.Stays = ""
		all.Lasted(time.Now(), s)
	default:
		s.Stays = text
	}
}

// record adds a missing record of a ship's machine, in case the record was deleted.
func (f *Fit) record(s *fleet.Ship) {
	id := machines.IDOf(f.o.Dir.ID(), s)
	made := s.Phase == fleet.Afloat || s.Phase == fleet.Provisioning && s.Step != "" && s.Step != "create"
	if !made || f.o.Access.Machines.Has(id) {
		return
	}
	if err := f.o.Access.Machines.Put(machines.Record{ID: id, Voyage: f.o.Dir.ID(), Asked: s.Created}); err != nil {
		f.o.Log.Error("record of a machine", "error", err)
	}
}
