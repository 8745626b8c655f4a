package onfleet

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/sailform"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/launch"
)

// Sail asks for everything that a new voyage needs, and sails it.
func (d *Desk) Sail() tea.Cmd {
	f, c := sailform.New(*d.Yard, d.sail)
	d.Show(f)
	return c
}

// sail sails an order. The dashboard shows the voyage as soon as provisioning begins, with the progress of each ship;
// when the voyage is taken back, the dashboard shows the one before again.
func (d *Desk) sail(o *launch.Order) tea.Cmd {
	var before fleet.Dir
	if shown := d.Shown(); shown != nil {
		before = *shown
	}
	var made fleet.Dir
	gone := false // only the goroutine that updates the model uses it
	o.Launched = func(v fleet.Dir) {
		made = v
		// The voyage must not wait until the captain returns from a ship, where no dashboard is shown.
		go d.Send(d.Context, act.Then(func() tea.Cmd {
			if gone {
				return nil
			}
			return d.Arrive(v, o.Name())
		}))
	}
	return d.Jobs.Run("sail "+o.Name(), func(ctx context.Context, report func(api.Progress)) error {
		_, err := d.Yard.StartVoyage(context.WithoutCancel(ctx), o, report) // quitting must not take anything back
		if err != nil && made != "" {
			d.Send(ctx, act.Then(func() tea.Cmd {
				gone = true
				return d.Back(made, before)
			}))
		}
		return err
	})
}

// Arrive shows a voyage that was just launched, unless the captain is busy.
func (d *Desk) Arrive(v fleet.Dir, name string) tea.Cmd {
	if d.Busy() || d.Away() {
		return d.Say(toast.Good, name+" is being provisioned; V shows it")
	}
	d.Open(v)
	return nil
}

// Back leaves a voyage that was taken back, unless the captain is busy in it.
func (d *Desk) Back(from, to fleet.Dir) tea.Cmd {
	switch shown := d.Shown(); {
	case shown == nil || *shown != from:
	case d.Busy():
		return d.Say(toast.Warn, "this voyage was taken back; V shows others")
	case to != "":
		d.Open(to)
	default:
		d.Leave()
	}
	return nil
}
