package fit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/pace"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/helm/shiptree"
	"ocaptain/fleet/link"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provision"
)

// provisionShip provisions one ship. A ship that fails leaves no machine. With prove, the ship
// proves that login and agent work before its agent is launched.
func (f *Fit) provisionShip(ctx context.Context, ship *fleet.Ship, prove bool, report func(api.Progress)) error {
	s, err := f.o.Secrets.Load()
	if err != nil {
		return errors.Join(fmt.Errorf("what its agent needs to log in cannot be read: %w", err), f.giveUp(ship, err))
	}
	prov := f.o.Access.Provider(ship.Provider)
	dial := func(ship *fleet.Ship) func(context.Context) (net.Conn, error) {
		return func(ctx context.Context) (net.Conn, error) { return prov.Dial(ctx, ship.Machine) }
	}
	first, leftover := f.continuation(ship)
	if first == "" {
		first = f.begin(ship)
	}
	logs, began := f.openLog(ship), time.Now()
	ctx, needless := f.whileNeeded(ctx, ship)
	pace, end := f.beginPace([]*fleet.Ship{ship}, report)
	defer end()
	last, err := provision.Run(ctx, provision.Job{
		Voyage: f.o.Info, Dir: f.o.Dir, Orders: f.o.Orders(), Ship: *f.o.Roster.Ship(ship.Name), Provider: prov,
		Labels:    f.o.Access.Labels(f.o.Dir),
		PublicKey: provision.PublicKey(f.o.Access.Key),
		Program:   f.o.Access.Program,
		Tailnet:   f.joining(ctx, ship),
		Secrets:   s.Secrets, Env: s.Env, Prove: prove, First: first, Leftover: leftover,
		Link: func(ship *fleet.Ship) (*link.Link, error) {
			cfg := f.o.Access.Link(ship, dial(ship))
			cfg.LearnHostKey, cfg.Moved = ship.HostKey == "", pace.Moved
			return link.Open(cfg)
		},
		Checkout: func(ctx context.Context, l *link.Link, ship *fleet.Ship) error {
			half := shiptree.New(ctx, l, ship.Home)
			defer half.Close()
			_, err := f.o.Work.Checkout(ctx, half, ship.Name, "")
			return err
		},
		Keep: func(s fleet.Ship) error {
			pace.Moved()
			err := f.o.Roster.Change(func(all *fleet.Fleet) {
				own := all.ShipNamed(s.Name)
				s.Draining = own.Draining // the captain may have drained the ship meanwhile
				*own = s
			})
			needless()
			return err
		},
		Await: pace.Await,
		Report: func(step, state, text string, took time.Duration) {
			pace.Moved()
			text = f.o.Secrets.Redact(text)
			logs.Step(step, state, text, took)
			switch state {
			case provision.Printed:
				return // it is in the log only
			case provision.Retry:
				state, text, took = api.StepNote, "is tried again in "+shiplog.Short(took)+": "+text, 0
			}
			report(api.Progress{Ship: ship.Name, Step: step, State: state, Text: text, Took: took})
			if (step == "probe" || step == "tailnet") && state == api.StepNote {
				f.o.Notes.Add(fleet.Note{Ship: ship.Name, Text: clean.Bound(text, clean.MaxText)}) // the problem may last longer than the provisioning
			}
		},
	})
	logs.Close(err, f.o.Context.Err() != nil, time.Since(began))
	if err == nil {
		if text := mixed(&last, f.o.Roster.Now()); text != "" {
			f.o.Notes.Add(fleet.Note{Ship: last.Name, Text: text})
		}
		f.o.Launch(f.o.Roster.Ship(ship.Name))
		return nil
	}
	if f.o.Context.Err() != nil {
		return err // helm ends; the next helm continues with this ship
	}
	f.o.Roster.ChangeShip(ship.Name, func(s *fleet.Ship) { s.Output = last.Output })
	if cause := context.Cause(ctx); errors.Is(cause, errNeedless) || errors.Is(cause, errDrained) {
		err = cause
	}
	err = f.o.Secrets.RedactError(err)
	pace.Await("the provider " + ship.Provider + " to destroy its machine")
	return errors.Join(err, f.giveUp(ship, err))
}

// openLog opens a ship's log for records of its provisioning.
func (f *Fit) openLog(ship *fleet.Ship) *shiplog.Provisioning {
	l, err := shiplog.OpenProvisioning(f.o.Dir, ship, func(err error) { f.o.Log.Error("log of the provisioning", "ship", ship.Name, "error", err) })
	if err != nil {
		f.o.Notes.Add(fleet.Note{Ship: ship.Name, Text: "how it is provisioned cannot be written down: " + err.Error()})
	}
	return l
}

// begin returns the first prompt of an agent, "" in a voyage without orders, where the agent waits for the captain.
func (f *Fit) begin(ship *fleet.Ship) string {
	if _, err := os.Stat(f.o.Dir.Prompt()); err != nil {
		return ""
	}
	return f.told(ship).First(ship.Name, f.o.Dir.ID())
}

// told describes a ship's agent for package told.
func (f *Fit) told(ship *fleet.Ship) told.Agent {
	return told.Agent{Role: ship.Role, Tools: f.o.Info.AgentOf(ship).Hooks, Given: f.o.Kind.Gives()}
}

// giveUp destroys the machine of a ship that could not be provisioned. If the machine is not proven to be gone now,
// the keeper of machines keeps trying.
func (f *Fit) giveUp(ship *fleet.Ship, why error) error {
	id := machines.IDOf(f.o.Dir.ID(), ship)
	var err error
	if f.o.Access.Machines.Has(id) { // without a record no machine was requested
		err = f.o.Access.Machines.Destroy(f.o.Context, id, clean.Bound(why.Error(), clean.MaxText), nil)
	}
	stays, denied := "", provider.IsDenied(err)
	var unproven *machines.Unproven
	if err != nil {
		stays = clean.Bound(err.Error(), clean.MaxText)
	}
	if errors.As(err, &unproven) {
		err = nil // an unlisted machine takes no other's place
	} else if err != nil {
		err = fmt.Errorf("its machine %s may still be there; %s: %w", id.Name, fleet.UntilGone, err)
	}
	f.o.Roster.ChangeAnyway(func(all *fleet.Fleet) {
		if stays != "" && !f.o.Access.Machines.Has(id) {
			stays = "" // another attempt has destroyed it meanwhile
		}
		s := all.ShipNamed(ship.Name)
		if stays == "" && s.HostKey != "" { // the machine existed and cost something
			all.Lasted(time.Now(), s)
		}
		s.Phase, s.Error, s.Stays = fleet.Failed, clean.Bound(why.Error(), clean.MaxText), stays
		if stays != "" {
			s.StaysAt, s.Denied = time.Now(), denied
		}
	})
	return err
}

// joining is TailnetOf for a ship that is being provisioned. It returns nil if this machine itself cannot reach the
// tailnet, since joining would be of no use.
func (f *Fit) joining(ctx context.Context, ship *fleet.Ship) *provision.Tailnet {
	t := f.o.Access.TailnetOf(ship, machines.IDOf(f.o.Dir.ID(), ship))
	if t == nil {
		return nil
	}
	if _, err := f.o.Access.Net.DescribeWay(ctx); err != nil {
		f.o.Notes.Add(fleet.Note{Ship: ship.Name, Text: "it does not join the tailnet: " + clean.Bound(err.Error(), clean.MaxText)})
		return nil
	}
	return t
}

// beginPace watches, until end is called, whether the provisioning of ships that wait for the same thing progresses.
// If it does not, it reports that once, for the first ship.
func (f *Fit) beginPace(ships []*fleet.Ship, report func(api.Progress)) (p *pace.Pace, end func()) {
	var names []string
	for _, ship := range ships {
		names = append(names, ship.Name)
	}
	return f.Paces.Begin(names, func(text string) {
		report(api.Progress{Ship: names[0], Step: f.o.Roster.Ship(names[0]).Step, State: api.StepNote, Text: text})
	})
}
