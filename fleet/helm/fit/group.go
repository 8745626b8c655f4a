package fit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	gosync "sync"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
	"ocaptain/fleet/provider/registry"
)

// outfit is one run of fitAll.
type outfit struct {
	fit    *Fit
	report func(api.Progress)

	mu     gosync.Mutex
	afloat map[string]int // number of provisioned ships by provider
	failed []unfit
}

// unfit is a ship that could not be provisioned, "" for no single ship, and why.
type unfit struct {
	ship string
	err  error
}

// fitAll provisions every ship that is planned or half provisioned, at all providers at the same time. If agents must
// log in, the first ship of each provider goes ahead, to prove that login and agent work. The voyage sails once one
// ship is provisioned.
func (f *Fit) fitAll(ctx context.Context, report func(api.Progress)) error {
	if report == nil {
		report = func(api.Progress) {}
	}
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	a := &outfit{fit: f, report: report, afloat: map[string]int{}}
	var order []string // providers, in the order of the fleet
	todo := map[string][]*fleet.Ship{}
	f.abort.Store(&abort)
	now := f.o.Roster.Now()
	if now.Phase == fleet.Sinking || now.Phase == fleet.Sunk {
		abort(ErrSinking)
	}
	for _, s := range now.Ships {
		switch s.Phase {
		case fleet.Planned, fleet.Provisioning:
			if s.Draining {
				continue
			}
			todo[s.Provider] = append(todo[s.Provider], s)
			if !slices.Contains(order, s.Provider) {
				order = append(order, s.Provider)
			}
		case fleet.Afloat:
			a.afloat[s.Provider]++
		}
	}
	if len(todo)+len(a.afloat) == 0 { // the captain has not asked for ships yet, or none can be had
		return f.removeUnready()
	}
	var all gosync.WaitGroup
	for _, name := range order {
		all.Go(func() { a.provisionGroup(ctx, name, todo[name]) })
	}
	all.Wait()
	n := 0
	for _, some := range a.afloat {
		n += some
	}
	return errors.Join(f.fitted(ctx, n, a.failed), f.removeUnready())
}

// fitted sets the phase of the voyage after the ships were provisioned or have failed.
func (f *Fit) fitted(ctx context.Context, afloat int, failed []unfit) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if afloat == 0 && len(failed) > 0 {
		var all []error
		for _, one := range failed {
			all = append(all, one.err)
		}
		return fmt.Errorf("no ship could be provisioned: %w", errors.Join(all...))
	}
	if err := f.o.Roster.Change(func(all *fleet.Fleet) {
		if all.Phase == fleet.Fitting {
			all.Phase = fleet.Sailing
		}
	}); err != nil {
		return err
	}
	f.o.Progressed()
	for _, one := range failed {
		n := fleet.Note{Ship: one.ship, Text: one.err.Error()}
		if one.ship != "" {
			n.Text += "; try again with: " + f.o.Dir.Command("ship replace %s", one.ship)
		}
		f.o.Notes.Add(n)
	}
	return nil
}

// removeUnready removes the ships that the captain drained before they were provisioned. The caller holds Busy.
func (f *Fit) removeUnready() error {
	var failed []error
	for _, ship := range f.o.Roster.Now().Ships {
		if ship.Draining && !f.o.Runs(ship.Name) {
			failed = append(failed, f.RemoveNow(ship.Name))
		}
	}
	return errors.Join(failed...)
}

// provisionGroup provisions the ships of one provider. If the first one fails, it does not try the others.
func (a *outfit) provisionGroup(ctx context.Context, name string, todo []*fleet.Ship) {
	if registry.Of(name).Here {
		if err := a.fetchAgents(ctx, todo); err != nil {
			a.mu.Lock()
			a.failed = append(a.failed, unfit{"", err})
			a.mu.Unlock()
			a.untried(ctx, todo, err)
			return
		}
	}
	a.mu.Lock()
	proven := a.afloat[name] > 0
	a.mu.Unlock()
	if len(a.fit.o.Info.AgentOf(todo[0]).Keys) > 0 && !proven {
		if len(todo) > 1 {
			const ahead = "goes ahead to prove that token and agent work"
			a.report(api.Progress{Ship: todo[0].Name, State: api.StepNote, Text: ahead})
			a.wait(todo[1:], todo[0].Name+" "+ahead)
		}
		err := a.provisionShip(ctx, todo[0], true)
		todo = todo[1:]
		switch {
		case errors.Is(err, errDrained) && len(todo) > 0: // the next ship goes ahead instead
			a.provisionGroup(ctx, name, todo)
			return
		case err != nil:
			a.untried(ctx, todo, err)
			return
		}
	}
	var all gosync.WaitGroup
	for _, s := range todo {
		all.Go(func() { _ = a.provisionShip(ctx, s, false) }) // provisionShip records a failure in a.failed
	}
	all.Wait()
}

// fetchAgents downloads the agents of local ships into this machine's cache. The captain's own agents are left out:
// their install commands run only on ships.
func (a *outfit) fetchAgents(ctx context.Context, todo []*fleet.Ship) error {
	say := func(text string) {
		a.report(api.Progress{State: api.StepNote, Text: text})
		a.wait(todo, text)
	}
	pace, end := a.fit.beginPace(todo, a.report)
	defer end()
	fetched := map[string]bool{}
	for _, s := range todo {
		if a.fit.o.Info.CustomOf(s) != nil || fetched[s.Agent+s.Release.Version] {
			continue
		}
		fetched[s.Agent+s.Release.Version] = true
		one, err := a.fit.o.Info.FindAgent(s)
		if err != nil {
			return err
		}
		pace.Await("the program of " + one.Name)
		say("looking for " + one.Name)
		if _, err := install.FetchAgent(ctx, a.fit.o.Access.Hub, one, say, pace.Moved); err != nil {
			return err
		}
	}
	return nil
}

// wait records why ships are not being provisioned yet.
func (a *outfit) wait(ships []*fleet.Ship, why string) {
	a.fit.o.Roster.ChangeAnyway(func(all *fleet.Fleet) {
		for _, s := range ships {
			all.ShipNamed(s.Name).Waits = clean.Bound(why, clean.MaxText)
		}
	})
}

// provisionShip provisions one ship and records the result in a.
func (a *outfit) provisionShip(ctx context.Context, s *fleet.Ship, prove bool) error {
	err := a.fit.provisionShip(ctx, s, prove, a.report)
	if errors.Is(err, errDrained) { // remove its machine now, and not after all others are made
		return errors.Join(err, a.fit.RemoveNow(s.Name))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.failed = append(a.failed, unfit{s.Name, err})
		return err
	}
	a.afloat[s.Provider]++
	return nil
}

// untried marks ships as failed because the first one failed.
func (a *outfit) untried(ctx context.Context, ships []*fleet.Ship, why error) {
	if ctx.Err() != nil {
		return // the first ship was cancelled and has not failed
	}
	for _, s := range ships {
		if err := a.fit.giveUp(s, fmt.Errorf("not tried: %w", why)); err != nil {
			a.mu.Lock()
			a.failed = append(a.failed, unfit{s.Name, err})
			a.mu.Unlock()
		}
	}
}
