// Package fit provisions the ships of a voyage, gives them new machines, and destroys them.
package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/pace"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/mix"
	"ocaptain/fleet/turn"
	"ocaptain/fleet/wake"
)

// Options name the voyage, and what package fit needs from helm.
type Options struct {
	*core.Core
	Access *access.Access
	Orders func() fleet.Orders
	Paces  *pace.Paces // progress of the ships that are being provisioned

	Plan       func(m mix.Mix, add func() error) error // calls add if the providers allow so many further machines
	Launch     func(*fleet.Ship)                       // makes helm look after a provisioned ship
	Runs       func(ship string) bool                  // reports whether helm looks after the ship
	Progressed func()                                  // checks whether the voyage has advanced

	// LetGo ends helm's work on a ship after a last look at its tree. Nothing of the ship is merged until release is called.
	LetGo func(ctx context.Context, ship string, report func(api.Progress)) (release func(), err error)
	// Requeue makes the tasks of a ship ready for others.
	Requeue func(ship, reason string) error
	Forget  func(ship string, drop func()) // forgets a ship; calls drop, which removes it from the fleet
	Free    func()                         // frees tasks that waited for ships that are gone
	Sunk    func()                         // ends helm's work on the sunk voyage
}

// Fit provisions and destroys the ships of a voyage. Its methods are safe for concurrent use.
type Fit struct {
	// Busy is held by calls that change the set of ships: sail, add, remove, sink.
	Busy  turn.Turn
	Paces *pace.Paces // progress of the ships that are being provisioned

	o      Options
	abort  atomic.Pointer[context.CancelCauseFunc] // cancels the provisioning that is under way
	undone wake.Signal                             // wakes Run to finish a removal that failed
}

// New returns the Fit of a voyage. It records again machines whose record was deleted.
func New(o Options) *Fit {
	f := &Fit{Busy: turn.New(), Paces: o.Paces, o: o, undone: wake.New()}
	for _, s := range o.Roster.Now().Ships {
		f.record(s)
	}
	return f
}

// ProvisionFirst provisions the voyage's first ships. The voyage sails with the provisioned ships, even if others failed. Once
// begun, it continues when ctx ends, since the captain's terminal may have been closed: to stop it, the captain sinks
// the voyage.
func (f *Fit) ProvisionFirst(ctx context.Context, r api.SailRequest, report func(api.Progress)) error {
	if err := f.Busy.Lock(ctx); err != nil {
		return err
	}
	defer f.Busy.Unlock()
	if now := f.o.Roster.Now(); now.Phase != fleet.Fitting || len(now.Ships) > 0 {
		return api.Refused("the voyage sails already")
	}
	mix, err := f.parseMix(f.o.Info.Provider, r.Ships)
	if err != nil {
		return err
	}
	if err := f.o.Secrets.Keep(secrets.Given{Secrets: r.Secrets, Env: r.Env}); err != nil {
		return err
	}
	if err := f.planShips(mix, "", ""); err != nil {
		return err
	}
	err = f.fitAll(f.o.Context, report)
	if err != nil && ctx.Err() != nil && f.o.Context.Err() == nil {
		f.o.Notes.Add(fleet.Note{Text: clean.Bound(err.Error(), clean.MaxText)}) // the caller has left and does not get the error
	}
	return err
}

// Add adds ships to a voyage that sails. Once begun, it continues when ctx ends.
func (f *Fit) Add(ctx context.Context, r api.AddRequest, report func(api.Progress)) error {
	if err := f.Busy.Lock(ctx); err != nil {
		return err
	}
	defer f.Busy.Unlock()
	if err := f.o.Roster.Afloat(); err != nil {
		return err
	}
	from := r.Provider
	if from == "" {
		from = f.o.Info.Provider
	}
	mix, err := f.parseMix(from, r.Ships)
	if err != nil {
		return err
	}
	if err := mayHaveAgent(&f.o.Info, r); err != nil {
		return err
	}
	if len(r.Secrets)+len(r.Env) > 0 {
		own, err := f.o.Secrets.Load()
		if err != nil {
			return err
		}
		if err := f.o.Secrets.Keep(own.With(secrets.Given{Secrets: r.Secrets, Env: r.Env})); err != nil {
			return err
		}
	}
	first := f.o.Roster.Now().Next
	if err := f.planShips(mix, r.Agent, r.Model); err != nil {
		return err
	}
	if err := f.fitAll(f.o.Context, report); err != nil {
		return err
	}
	return unprovisioned(f.o.Dir, f.o.Roster.Now(), func(s *fleet.Ship) bool { return s.Number >= first })
}

// mayHaveAgent returns why ships with the requested agent cannot be added, nil if they can.
func mayHaveAgent(v *fleet.Voyage, r api.AddRequest) error {
	a, err := v.FindAgent(&fleet.Ship{Role: fleet.Worker, Agent: cmp.Or(r.Agent, v.Agent)})
	switch {
	case err != nil:
		return api.Refused("%v", err)
	case r.Agent != "" && v.Kind.TakesDispatches():
		return api.Refused("all workers of a pool have its agent %s", v.Agent)
	case r.Model != "" && !a.RunsModel():
		return api.Refused("agent %s runs no model", a.Name)
	}
	return nil
}

// unprovisioned returns an error for the ships that among selects and helm could not provision, nil if there are none.
func unprovisioned(d fleet.Dir, all *fleet.Fleet, among func(*fleet.Ship) bool) error {
	var failed []error
	for _, s := range all.Ships {
		if among(s) && s.Phase == fleet.Failed {
			failed = append(failed, fmt.Errorf("%s could not be provisioned: %s; try again with: %s", s.Name, s.Error, d.Command("ship replace %s", s.Name)))
		}
	}
	return errors.Join(failed...)
}

// Again provisions the planned ships, and again the ships in names, which failed before.
func (f *Fit) Again(names []string) error {
	if err := f.Busy.Lock(f.o.Context); err != nil {
		return err
	}
	defer f.Busy.Unlock()
	for _, name := range names {
		if ship := f.o.Roster.Ship(name); ship != nil && ship.Phase == fleet.Failed && !ship.Draining {
			if err := f.removeShip(f.o.Context, name, func(api.Progress) {}, false); err != nil {
				return f.later(err)
			}
		}
	}
	return f.fitAll(f.o.Context, nil)
}

// AgainSoon is Again for callers that do not wait for it.
func (f *Fit) AgainSoon(names []string) {
	f.o.Go(func() {
		if err := f.Again(names); err != nil && f.o.Context.Err() == nil && !errors.Is(err, ErrSinking) {
			f.o.Notes.Add(fleet.Note{Text: clean.Bound(err.Error(), clean.MaxText)})
		}
	})
}

// Drain removes a worker once it has finished its task, or at once if it has none.
func (f *Fit) Drain(ship string) error {
	switch {
	case f.o.Roster.Ship(ship) == nil:
		return api.NotFound("voyage %s has no %s", f.o.Dir.ID(), clean.Word(ship))
	case !f.o.Info.Kind.TakesDispatches():
		return api.Refused("only workers of a pool are drained: sink %s instead", ship)
	}
	f.o.Roster.Alter(func(all *fleet.Fleet) {
		if s := all.ShipNamed(ship); s != nil {
			s.Draining = true
		}
	})
	f.o.News.Send()
	if !f.o.Runs(ship) { // helm does not look after it yet
		f.AgainSoon(nil)
	}
	return f.o.Roster.Save()
}

// Resume continues what the last helm was doing when it ended.
func (f *Fit) Resume() {
	if f.Busy.Lock(f.o.Context) != nil {
		return
	}
	defer f.Busy.Unlock()
	var err error
	switch f.o.Roster.Now().Phase {
	case fleet.Sunk:
	case fleet.Sinking:
		if err = f.sinkAll(f.o.Context, func(api.Progress) {}); err == nil {
			f.o.Sunk()
		}
	default:
		if err = f.later(f.finishRemovals()); errors.Is(err, ErrStays) {
			err = nil // the captain has been told already
		}
		err = errors.Join(err, f.fitAll(f.o.Context, nil))
	}
	if err != nil && f.o.Context.Err() == nil {
		f.o.Notes.Add(fleet.Note{Text: err.Error()})
	}
}
