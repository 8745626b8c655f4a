package voyage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/helm/sweep"
	"ocaptain/fleet/retry"
)

// errSinking ends the fitting out of a voyage that is to be sunk.
var errSinking = errors.New("the voyage is being sunk")

// Remove destroys one ship. Its work is copied home first, if it can be reached, and
// its task becomes pending. Once begun it goes on when the caller leaves.
func (v *Voyage) Remove(ctx context.Context, name string, report func(api.Progress)) error {
	if err := v.busy.Lock(ctx); err != nil {
		return err
	}
	defer v.busy.Unlock()
	return v.later(v.removeShip(v.ctx, name, report, true))
}

// Replace gives a ship a new machine. Work that was not merged stays on the hub. Once
// begun it goes on when the caller leaves.
func (v *Voyage) Replace(ctx context.Context, name string, report func(api.Progress)) error {
	if err := v.busy.Lock(ctx); err != nil {
		return err
	}
	defer v.busy.Unlock()
	if err := v.afloat(); err != nil {
		return err
	}
	if err := v.removeShip(v.ctx, name, report, false); err != nil {
		return v.later(err)
	}
	if err := v.fitAll(v.ctx, report); err != nil {
		return err
	}
	return v.unprovisioned(func(s *fleet.Ship) bool { return s.Name == name })
}

// afloat refuses what makes no sense for a voyage that is being sunk.
func (v *Voyage) afloat() error {
	return refuseOver(v.roster.Now().Phase)
}

func refuseOver(p fleet.Phase) error {
	if p == fleet.Sinking || p == fleet.Sunk {
		return api.Refused("the voyage is %s", p)
	}
	return nil
}

// sink destroys all ships of the voyage. It goes on when the caller leaves, and does
// not wait until ships are fitted out.
func (v *Voyage) sink(ctx context.Context, report func(api.Progress)) error {
	if v.isSunk() {
		return nil // helm may be closing it
	}
	v.beginSinking()
	if !v.busy.TryLock() {
		v.reportWait(report)
		if err := v.busy.Lock(ctx); err != nil {
			v.jobs.Go(v.sinkAlone)
			return err
		}
	}
	defer v.busy.Unlock()
	return v.sinkAll(v.ctx, report)
}

// reportWait reports that a sink waits for another command, and why machines are still there.
func (v *Voyage) reportWait(report func(api.Progress)) {
	report(api.Progress{State: api.StepNote, Text: "another command changes the ships of this voyage; this sink waits until that command ends"})
	for _, s := range v.Board().Ships {
		if s.Phase == fleet.Going && s.Error != "" {
			report(api.Progress{Ship: s.Name, Step: "sink", State: api.StepFailed, Text: s.Error})
		}
	}
}

// sinkAlone goes on with a sink whose caller has left before it could begin. When helm ends first, the next
// one does so.
func (v *Voyage) sinkAlone() {
	if v.busy.Lock(v.ctx) != nil {
		return
	}
	defer v.busy.Unlock()
	if v.sinkAll(v.ctx, func(api.Progress) {}) == nil {
		v.set.jobs.Go(func() { v.set.forget(v) })
	}
}

func (v *Voyage) isSunk() bool {
	now := v.roster.Now()
	return now.Phase == fleet.Sunk && len(now.Ships) == 0
}

func (v *Voyage) beginSinking() {
	v.roster.Alter(func(f *fleet.Fleet) { f.Phase = fleet.Sinking })
	changes(v, func() {
		if v.abort != nil {
			v.abort(errSinking)
		}
	})
	v.roster.SaveAnyway()
}

// sinkAll destroys all ships, trying for as long as it takes: nothing that costs is
// forgotten.
func (v *Voyage) sinkAll(ctx context.Context, report func(api.Progress)) error {
	if v.isSunk() { // while this sink waited for another
		return nil
	}
	v.beginSinking()
	var all gosync.WaitGroup
	for _, s := range v.roster.Now().Ships {
		all.Go(func() { v.sinkShip(ctx, s.Name, report) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	v.files.Forget(v.dir.Secrets())
	if err := secrets.Remove(v.dir); err != nil {
		return err
	}
	v.roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = fleet.Sunk })
	return nil
}

// sinkShip removes a ship, trying for as long as it takes. Why it failed is reported when that changes.
func (v *Voyage) sinkShip(ctx context.Context, name string, report func(api.Progress)) {
	for said := ""; ; {
		err := v.removeShip(ctx, name, report, true)
		if err == nil || ctx.Err() != nil {
			return
		}
		if text := err.Error(); text != said {
			said = text
			report(api.Progress{Ship: name, Step: "sink", State: api.StepFailed, Text: text})
			report(api.Progress{Ship: name, State: api.StepNote, Text: "ctrl-c leaves, and " + fleet.UntilGone})
		}
		if retry.Sleep(ctx, time.Second) != nil { // the attempts have their own pauses
			return
		}
	}
}

// removeShip destroys a ship's machine. Then it forgets the ship or plans it again.
func (v *Voyage) removeShip(ctx context.Context, name string, report func(api.Progress), forget bool) error {
	f, s := reads2(v, func() (*fleet.Ship, *Ship) { return v.roster.Ship(name), v.ships[name] })
	if f == nil {
		return api.NotFound("voyage %s has no %s", v.dir.ID(), name)
	}
	report(api.Progress{Ship: name, Step: "sink", State: api.StepStarted})
	began := time.Now()
	worked := false
	v.record(f)
	v.roster.ChangeShip(name, func(f *fleet.Ship) {
		worked = f.Phase == fleet.Afloat
		if f.Phase == fleet.Failed && f.Stays == "" {
			f.HostKey = "" // of a machine that is long gone, and cost nothing since
		}
		if f.Phase != fleet.Going {
			f.Error, f.StaysAt, f.Denied = "", time.Time{}, false
		}
		f.Phase, f.Again = fleet.Going, !forget
	})
	if s != nil {
		if s.ctx.Err() == nil { // the first time
			s.farewell(ctx, report)
		}
		s.close()
		// A merge that is under way fails now, or is through: its claim must not be
		// taken back before that is known.
		if err := s.tree.Lock(ctx); err != nil {
			return err
		}
		defer s.tree.Unlock()
	}
	if !forget {
		past := v.past(ctx, f, worked)
		v.roster.ChangeShip(name, func(f *fleet.Ship) { f.Past = past }) // while its task is known
	}
	if err := v.destroy(ctx, f, sweep.Waits(name, report)); err != nil {
		return fmt.Errorf("%s: its machine %s could not be destroyed: %w; %w", name, f.MachineName(v.dir.ID()), err, errStays)
	}
	if err := v.reclaim(rights.Provider, name, name+" was removed"); err != nil && !v.leavesTasks(err) {
		text := "its machine is gone, and its task could not be taken back, which is tried again: " + clean.Bound(err.Error(), maxText)
		v.roster.ChangeShip(name, func(f *fleet.Ship) { f.Error, f.StaysAt, f.Denied = text, time.Now(), false })
		return fmt.Errorf("%s: its task could not be taken back: %w; %w", name, err, errStays)
	}
	if forget {
		v.freeChosen()
		v.keepWork(ctx, name, report)
	}
	report(api.Progress{Ship: name, Step: "sink", State: api.StepDone, Took: time.Since(began)})
	changes(v, func() {
		delete(v.ships, name)
		v.roster.Alter(func(all *fleet.Fleet) { v.dropShip(all, name, forget) })
	})
	v.roster.SaveAnyway()
	return nil
}

// dropShip takes a ship whose machine is gone out of the fleet, or plans it again.
func (v *Voyage) dropShip(all *fleet.Fleet, name string, forget bool) {
	f := all.ShipNamed(name)
	if f.HostKey != "" || f.Stays != "" { // it was there, or perhaps
		all.Lasted(time.Now(), f)
	}
	if forget {
		all.Ships = slices.DeleteFunc(all.Ships, func(s *fleet.Ship) bool { return s == f })
		return
	}
	*f = fleet.Ship{
		Name: f.Name, Number: f.Number, Role: f.Role, Agent: f.Agent, Model: f.Model, Release: all.ReleaseOf(&v.info, f.Agent), Provider: f.Provider,
		Built: f.Built + 1, Phase: fleet.Planned, Created: time.Now(), Past: f.Past,
	}
}

// destroy destroys a ship's machine. One without a record was never asked for, or is proven to be gone.
func (v *Voyage) destroy(ctx context.Context, f *fleet.Ship, report func(text string)) error {
	id := v.machineOf(f)
	if !v.set.Machines.Has(id) {
		return nil
	}
	return v.set.Machines.Until(ctx, id, removed, nil, report)
}

// farewell copies home what the ship has before its machine is destroyed, and tells what of it is lost.
func (s *Ship) farewell(ctx context.Context, report func(api.Progress)) {
	changes(s.v, func() {
		if s.quit != nil {
			s.quit()
		}
	})
	s.leaveTree(ctx, report)
	missing, err := s.bringHome(ctx)
	s.reportIgnored(report)
	var lost string
	switch {
	case err != nil:
		var last string
		changes(s.v, func() {
			last = "nothing of its work was ever copied home"
			if !s.copied.IsZero() {
				last = "what is on it alone since its last copy, of " + s.copied.Format(time.DateTime) + ", is lost"
			}
		})
		lost = "its work could not be copied home (" + clean.Bound(err.Error(), 300) + "): " + last
	case len(missing) > 0:
		lost = "is lost with it: " + clean.Bound(strings.Join(missing, "; "), maxText)
	default:
		return
	}
	s.v.notes.Add(fleet.Note{Ship: s.name, Text: lost})
	report(api.Progress{Ship: s.name, Step: "sink", State: api.StepNote, Text: lost, Lost: true})
}

// keepWork puts aside what was unmerged of a ship that is gone, and tells where it is.
func (v *Voyage) keepWork(ctx context.Context, name string, report func(api.Progress)) {
	left, err := v.work.Park(ctx, name)
	switch {
	case err != nil:
		v.notes.Add(fleet.Note{Ship: name, Text: clean.Bound(err.Error(), maxText)})
	case left.Ref != "":
		text := "its unmerged work was put aside on " + left.Ref + ": look with " + v.command("diff %s", name)
		v.notes.Add(fleet.Note{Ship: name, Text: text})
		report(api.Progress{Ship: name, Step: "sink", State: api.StepNote, Text: text})
	}
}
