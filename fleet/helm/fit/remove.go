package fit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/sweep"
	"ocaptain/fleet/machines"
)

// ErrStays is wrapped by the error of a removal if the machine may still exist, or the ship's task could not be
// requeued.
var ErrStays = errors.New(fleet.UntilGone)

// later makes Run finish a removal that failed with err. It returns err.
func (f *Fit) later(err error) error {
	if errors.Is(err, ErrStays) {
		f.undone.Send()
	}
	return err
}

// removed says why the machine of a ship that was sunk, removed or replaced is not wanted.
const removed = "its ship was removed"

// Remove destroys one ship. It first copies the ship's work to the hub, if it can reach the ship, and requeues its
// task. Once begun, it continues when ctx ends.
func (f *Fit) Remove(ctx context.Context, name string, report func(api.Progress)) error {
	if err := f.Busy.Lock(ctx); err != nil {
		return err
	}
	defer f.Busy.Unlock()
	return f.later(f.removeShip(f.o.Context, name, report, true))
}

// RemoveNow is Remove for a caller that holds Busy. If it fails, Run finishes it.
func (f *Fit) RemoveNow(name string) error {
	return f.later(f.removeShip(f.o.Context, name, func(api.Progress) {}, true))
}

// Replace gives a ship a new machine. Its unmerged work stays on the hub. Once begun, it continues when ctx ends.
func (f *Fit) Replace(ctx context.Context, name string, report func(api.Progress)) error {
	if err := f.Busy.Lock(ctx); err != nil {
		return err
	}
	defer f.Busy.Unlock()
	if err := f.o.Roster.Afloat(); err != nil {
		return err
	}
	if err := f.removeShip(f.o.Context, name, report, false); err != nil {
		return f.later(err)
	}
	if err := f.fitAll(f.o.Context, report); err != nil {
		return err
	}
	return unprovisioned(f.o.Dir, f.o.Roster.Now(), func(s *fleet.Ship) bool { return s.Name == name })
}

// removeShip destroys a ship's machine. Then it forgets the ship or plans it again.
func (f *Fit) removeShip(ctx context.Context, name string, report func(api.Progress), forget bool) error {
	ship := f.o.Roster.Ship(name)
	if ship == nil {
		return api.NotFound("voyage %s has no %s", f.o.Dir.ID(), name)
	}
	report(api.Progress{Ship: name, Step: "sink", State: api.StepStarted})
	began := time.Now()
	worked := false
	f.record(ship)
	f.o.Roster.ChangeShip(name, func(ship *fleet.Ship) {
		worked = ship.Phase == fleet.Afloat
		if ship.Phase == fleet.Failed && ship.Stays == "" {
			ship.HostKey = "" // so that its last machine, which is long gone, does not count as a cost
		}
		if ship.Phase != fleet.Going {
			ship.Error, ship.StaysAt, ship.Denied = "", time.Time{}, false
		}
		ship.Phase, ship.Again = fleet.Going, !forget
	})
	release, err := f.o.LetGo(ctx, name, report)
	if err != nil {
		return err
	}
	defer release()
	if !forget {
		past := f.past(ctx, ship, worked)
		f.o.Roster.ChangeShip(name, func(ship *fleet.Ship) { ship.Past = past }) // before its task is requeued
	}
	if err := f.destroy(ctx, ship, sweep.Waits(name, report)); err != nil {
		return fmt.Errorf("%s: its machine %s could not be destroyed: %w; %w", name, ship.MachineName(f.o.Dir.ID()), err, ErrStays)
	}
	if err := f.o.Requeue(name, name+" was removed"); err != nil {
		text := "its machine is gone, and its task could not be taken back, which is tried again: " + clean.Bound(err.Error(), clean.MaxText)
		f.o.Roster.ChangeShip(name, func(ship *fleet.Ship) { ship.Error, ship.StaysAt, ship.Denied = text, time.Now(), false })
		return fmt.Errorf("%s: its task could not be taken back: %w; %w", name, err, ErrStays)
	}
	if forget {
		f.o.Free()
		f.keepWork(ctx, name, report)
	}
	report(api.Progress{Ship: name, Step: "sink", State: api.StepDone, Took: time.Since(began)})
	f.o.Forget(name, func() {
		f.o.Roster.Alter(func(all *fleet.Fleet) { dropShip(all, &f.o.Info, name, forget) })
	})
	f.o.Roster.SaveAnyway()
	return nil
}

// dropShip removes a ship whose machine is gone from the fleet, or plans it again.
func dropShip(all *fleet.Fleet, info *fleet.Voyage, name string, forget bool) {
	ship := all.ShipNamed(name)
	if ship.HostKey != "" || ship.Stays != "" { // its machine existed, or may have
		all.Lasted(time.Now(), ship)
	}
	if forget {
		all.Ships = slices.DeleteFunc(all.Ships, func(s *fleet.Ship) bool { return s == ship })
		return
	}
	*ship = fleet.Ship{
		Name: ship.Name, Number: ship.Number, Role: ship.Role, Agent: ship.Agent, Model: ship.Model, Release: all.ReleaseOf(info, ship.Agent), Provider: ship.Provider,
		Built: ship.Built + 1, Phase: fleet.Planned, Created: time.Now(), Past: ship.Past,
	}
}

// destroy destroys a ship's machine. A machine without a record was never requested, or is proven to be gone.
func (f *Fit) destroy(ctx context.Context, ship *fleet.Ship, report func(text string)) error {
	id := machines.IDOf(f.o.Dir.ID(), ship)
	if !f.o.Access.Machines.Has(id) {
		return nil
	}
	return f.o.Access.Machines.Until(ctx, id, removed, nil, report)
}

// keepWork parks the unmerged work of a ship that is gone, and tells the captain where it is.
func (f *Fit) keepWork(ctx context.Context, name string, report func(api.Progress)) {
	left, err := f.o.Work.Park(ctx, name)
	switch {
	case err != nil:
		f.o.Notes.Add(fleet.Note{Ship: name, Text: clean.Bound(err.Error(), clean.MaxText)})
	case left.Ref != "":
		text := "its unmerged work was put aside on " + left.Ref + ": look with " + f.o.Dir.Command("diff %s", name)
		f.o.Notes.Add(fleet.Note{Ship: name, Text: text})
		report(api.Progress{Ship: name, Step: "sink", State: api.StepNote, Text: text})
	}
}
