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

// Options say for which voyage ships are provisioned, and what that uses.
type Options struct {
	*core.Core
	Access *access.Access
	Orders func() fleet.Orders
	Paces  *pace.Paces // of the ships that are being provisioned

	Plan       func(m mix.Mix, add func() error) error // calls add if the providers allow that many machines more
	Launch     func(*fleet.Ship)                       // begins to look after a ship that is afloat
	Runs       func(ship string) bool                  // reports whether helm looks after the ship
	Progressed func()                                  // looks whether the voyage has got on

	// LetGo ends helm's work on a ship after a last look at its tree. Nothing of the ship is merged until release is called.
	LetGo func(ctx context.Context, ship string, report func(api.Progress)) (release func(), err error)
	// Requeue makes the tasks of a ship ready for others.
	Requeue func(ship, reason string) error
	Forget  func(ship string, drop func()) // forgets a ship while drop takes it out of the fleet
	Free    func()                         // frees tasks that waited for ships that are gone
	Sunk    func()                         // ends helm's work on the voyage, which is sunk
}

// Fit provisions and destroys the ships of a voyage. Its methods are safe for concurrent use.
type Fit struct {
	// Busy is held by what changes the set of ships: sail, add, remove, sink.
	Busy  turn.Turn
	Paces *pace.Paces // of the ships that are being provisioned

	o      Options
	abort  atomic.Pointer[context.CancelCauseFunc] // ends the provisioning that is under way
	undone wake.Signal                             // tells that a ship could not be removed
}

// New returns what provisions the ships of a voyage. It records machines that were made and are on no record any more.
func New(o Options) *Fit {
	f := &Fit{Busy: turn.New(), Paces: o.Paces, o: o, undone: wake.New()}
	for _, s := range o.Roster.Now().Ships {
		f.record(s)
	}
	return f
}

// ProvisionFirst provisions the voyage's first ships, and the voyage sails with the ships that it got. Once begun it goes on when the caller
// leaves, whose terminal may have been closed: a captain who gives up sinks the voyage.
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
		f.o.Notes.Add(fleet.Note{Text: clean.Bound(err.Error(), clean.MaxText)}) // no caller hears of it
	}
	return err
}

// Add adds ships to a voyage that sails. Once begun it goes on when the caller leaves.
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

// mayHaveAgent says why ships cannot be added with an agent, nil when they can.
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

// unprovisioned tells of those among some ships that could not be provisioned.
func unprovisioned(d fleet.Dir, all *fleet.Fleet, among func(*fleet.Ship) bool) error {
	var failed []error
	for _, s := range all.Ships {
		if among(s) && s.Phase == fleet.Failed {
			failed = append(failed, fmt.Errorf("%s could not be provisioned: %s; try again with: %s", s.Name, s.Error, d.Command("ship replace %s", s.Name)))
		}
	}
	return errors.Join(failed...)
}

// Again provisions the ships that are planned, and those of names, which failed before.
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

// Drain lets a worker finish what it does and go. A worker that holds nothing goes at once.
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
	if !f.o.Runs(ship) { // nothing of it is at work yet
		f.AgainSoon(nil)
	}
	return f.o.Roster.Save()
}

// Resume goes on with what helm was doing when it ended.
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
			err = nil // which is told already
		}
		err = errors.Join(err, f.fitAll(f.o.Context, nil))
	}
	if err != nil && f.o.Context.Err() == nil {
		f.o.Notes.Add(fleet.Note{Text: err.Error()})
	}
}
