package voyage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/helm/shiptree"
	"ocaptain/fleet/link"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provision"
)

// ProvisionFirst provisions the voyage's first ships, and the voyage sails with the ships that it got. Once begun it goes on when the caller
// leaves, whose terminal may have been closed: a captain who gives up sinks the voyage.
func (v *Voyage) ProvisionFirst(ctx context.Context, r api.SailRequest, report func(api.Progress)) error {
	if err := v.busy.Lock(ctx); err != nil {
		return err
	}
	defer v.busy.Unlock()
	if now := v.roster.Now(); now.Phase != fleet.Fitting || len(now.Ships) > 0 {
		return api.Refused("the voyage sails already")
	}
	mix, err := v.parseMix(v.info.Provider, r.Ships)
	if err != nil {
		return err
	}
	if err := v.secrets.Keep(secrets.Given{Secrets: r.Secrets, Env: r.Env}); err != nil {
		return err
	}
	if err := v.planShips(mix, "", ""); err != nil {
		return err
	}
	err = v.fitAll(v.ctx, report)
	if err != nil && ctx.Err() != nil && v.ctx.Err() == nil {
		v.notes.Add(fleet.Note{Text: clean.Bound(err.Error(), maxText)}) // no caller hears of it
	}
	return err
}

// Add adds ships to a voyage that sails. Once begun it goes on when the caller leaves.
func (v *Voyage) Add(ctx context.Context, r api.AddRequest, report func(api.Progress)) error {
	if err := v.busy.Lock(ctx); err != nil {
		return err
	}
	defer v.busy.Unlock()
	if err := v.afloat(); err != nil {
		return err
	}
	from := r.Provider
	if from == "" {
		from = v.info.Provider
	}
	mix, err := v.parseMix(from, r.Ships)
	if err != nil {
		return err
	}
	if err := v.mayHaveAgent(r); err != nil {
		return err
	}
	if len(r.Secrets)+len(r.Env) > 0 {
		own, err := v.secrets.Load()
		if err != nil {
			return err
		}
		if err := v.secrets.Keep(own.With(secrets.Given{Secrets: r.Secrets, Env: r.Env})); err != nil {
			return err
		}
	}
	first := v.roster.Now().Next
	if err := v.planShips(mix, r.Agent, r.Model); err != nil {
		return err
	}
	if err := v.fitAll(v.ctx, report); err != nil {
		return err
	}
	return v.unprovisioned(func(s *fleet.Ship) bool { return s.Number >= first })
}

// mayHaveAgent says why ships cannot be added with an agent, nil when they can.
func (v *Voyage) mayHaveAgent(r api.AddRequest) error {
	a, err := v.info.FindAgent(&fleet.Ship{Role: fleet.Worker, Agent: cmp.Or(r.Agent, v.info.Agent)})
	switch {
	case err != nil:
		return api.Refused("%v", err)
	case r.Agent != "" && v.info.Kind.TakesDispatches():
		return api.Refused("all workers of a pool have its agent %s", v.info.Agent)
	case r.Model != "" && !a.RunsModel():
		return api.Refused("agent %s runs no model", a.Name)
	}
	return nil
}

// unprovisioned tells of those among some ships that could not be provisioned.
func (v *Voyage) unprovisioned(among func(*fleet.Ship) bool) error {
	var failed []error
	for _, s := range v.roster.Now().Ships {
		if among(s) && s.Phase == fleet.Failed {
			failed = append(failed, fmt.Errorf("%s could not be provisioned: %s; try again with: %s", s.Name, s.Error, v.command("ship replace %s", s.Name)))
		}
	}
	return errors.Join(failed...)
}

// fitted draws the conclusion from how the ships came out.
func (v *Voyage) fitted(ctx context.Context, afloat int, failed []unfit) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if afloat == 0 && len(failed) > 0 {
		var all []error
		for _, f := range failed {
			all = append(all, f.err)
		}
		return fmt.Errorf("no ship could be provisioned: %w", errors.Join(all...))
	}
	if err := v.roster.Change(func(f *fleet.Fleet) {
		if f.Phase == fleet.Fitting {
			f.Phase = fleet.Sailing
		}
	}); err != nil {
		return err
	}
	v.progressed()
	for _, f := range failed {
		n := fleet.Note{Ship: f.ship, Text: f.err.Error()}
		if f.ship != "" {
			n.Text += "; try again with: " + v.command("ship replace %s", f.ship)
		}
		v.notes.Add(n)
	}
	return nil
}

// provisionShip provisions one ship. A ship that fails leaves no machine. With prove, the ship
// proves that login and agent work before its agent is launched.
func (v *Voyage) provisionShip(ctx context.Context, f *fleet.Ship, prove bool, report func(api.Progress)) error {
	s, err := v.secrets.Load()
	if err != nil {
		return errors.Join(fmt.Errorf("what its agent needs to log in cannot be read: %w", err), v.giveUp(f, err))
	}
	prov := v.set.Provider(f.Provider)
	dial := func(ship *fleet.Ship) func(context.Context) (net.Conn, error) {
		return func(ctx context.Context) (net.Conn, error) { return prov.Dial(ctx, ship.Machine) }
	}
	first, leftover := v.continuation(f)
	if first == "" {
		first = v.begin(f)
	}
	logs, began := v.openLog(f), time.Now()
	ctx, needless := v.whileNeeded(ctx, f)
	pace, end := v.beginPace([]*fleet.Ship{f}, report)
	defer end()
	last, err := provision.Run(ctx, provision.Job{
		Voyage: v.info, Dir: v.dir, Orders: v.currentOrders(), Ship: *v.roster.Ship(f.Name), Provider: prov,
		Labels:    v.set.Labels(v.dir),
		PublicKey: provision.PublicKey(v.set.Key),
		Program:   v.set.Program,
		Tailnet:   v.joining(ctx, f),
		Secrets:   s.Secrets, Env: s.Env, Prove: prove, First: first, Leftover: leftover,
		Link: func(ship *fleet.Ship) (*link.Link, error) {
			cfg := v.set.Link(ship, dial(ship))
			cfg.LearnHostKey, cfg.Moved = ship.HostKey == "", pace.Moved
			return link.Open(cfg)
		},
		Checkout: func(ctx context.Context, l *link.Link, ship *fleet.Ship) error {
			half := shiptree.New(ctx, l, ship.Name, ship.Home)
			defer half.Close()
			_, err := v.work.Checkout(ctx, half, ship.Name, "")
			return err
		},
		Keep: func(s fleet.Ship) error {
			pace.Moved()
			err := v.roster.Change(func(all *fleet.Fleet) {
				own := all.ShipNamed(s.Name)
				s.Draining = own.Draining // which the captain says meanwhile
				*own = s
			})
			needless()
			return err
		},
		Await: pace.Await,
		Report: func(step, state, text string, took time.Duration) {
			pace.Moved()
			text = v.secrets.Redact(text)
			logs.Step(step, state, text, took)
			switch state {
			case provision.Printed:
				return // who wants to read it finds it in the log
			case provision.Retry:
				state, text, took = api.StepNote, "is tried again in "+shiplog.Short(took)+": "+text, 0
			}
			report(api.Progress{Ship: f.Name, Step: step, State: state, Text: text, Took: took})
			if (step == "probe" || step == "tailnet") && state == api.StepNote {
				v.notes.Add(fleet.Note{Ship: f.Name, Text: clean.Bound(text, maxText)}) // it may last longer than the fitting out
			}
		},
	})
	logs.Close(err, v.ctx.Err() != nil, time.Since(began))
	if err == nil {
		v.tellMixed(&last)
		v.launch(v.roster.Ship(f.Name))
		return nil
	}
	if v.ctx.Err() != nil {
		return err // helm ends; the next one goes on with this ship
	}
	v.roster.ChangeShip(f.Name, func(s *fleet.Ship) { s.Output = last.Output })
	if cause := context.Cause(ctx); errors.Is(cause, errNeedless) || errors.Is(cause, errDrained) {
		err = cause
	}
	err = v.secrets.RedactError(err)
	pace.Await("the provider " + f.Provider + " to destroy its machine")
	return errors.Join(err, v.giveUp(f, err))
}

// openLog begins to write in a ship's log how it is provisioned.
func (v *Voyage) openLog(f *fleet.Ship) *shiplog.Provisioning {
	l, err := shiplog.OpenProvisioning(v.dir, f, func(err error) { v.log.Error("log of the provisioning", "ship", f.Name, "error", err) })
	if err != nil {
		v.notes.Add(fleet.Note{Ship: f.Name, Text: "how it is provisioned cannot be written down: " + err.Error()})
	}
	return l
}

// begin is what an agent is told first, "" for one without orders: it waits for the captain.
func (v *Voyage) begin(f *fleet.Ship) string {
	if _, err := os.Stat(v.dir.Prompt()); err != nil {
		return ""
	}
	return v.toldOf(f).First(f.Name, v.dir.ID())
}

// giveUp destroys what there is of a ship that could not be provisioned. What is not proven to be gone now, the keeper
// of machines goes on with.
func (v *Voyage) giveUp(f *fleet.Ship, why error) error {
	id := v.machineOf(f)
	var err error
	if v.set.Machines.Has(id) { // else none was asked for
		err = v.set.Machines.Destroy(v.ctx, id, clean.Bound(why.Error(), maxText), nil)
	}
	stays, denied := "", provider.IsDenied(err)
	var unproven *machines.Unproven
	if err != nil {
		stays = clean.Bound(err.Error(), maxText)
	}
	if errors.As(err, &unproven) {
		err = nil // an unlisted machine hinders no other
	} else if err != nil {
		err = fmt.Errorf("its machine %s may still be there; %s: %w", id.Name, fleet.UntilGone, err)
	}
	v.roster.ChangeAnyway(func(all *fleet.Fleet) {
		if stays != "" && !v.set.Machines.Has(id) {
			stays = "" // the next attempt was quicker
		}
		s := all.ShipNamed(f.Name)
		if stays == "" && s.HostKey != "" { // it was there
			all.Lasted(time.Now(), s)
		}
		s.Phase, s.Error, s.Stays = fleet.Failed, clean.Bound(why.Error(), maxText), stays
		if stays != "" {
			s.StaysAt, s.Denied = time.Now(), denied
		}
	})
	return err
}
