package onfleet

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/dash/voyages"
	"ocaptain/ui/words"
)

// FindOrphans asks helm, once helm has looked, how many machines belong to no voyage.
func (d *Desk) FindOrphans(client *api.Client) {
	all, err := client.KnownOrphans(d.Context)
	if err != nil {
		return // helm is gone, or older; a captain who asks for a sweep is told
	}
	d.Send(d.Context, act.Then(func() tea.Cmd {
		was := d.orphans
		if d.orphans = len(all); d.orphans == was || d.orphans == 0 || d.Shown() != nil {
			return nil // with a voyage on the screen, the machines are among its needs
		}
		return d.Say(toast.Warn, orphansWord(d.orphans)+" may cost you; “sweep” among the actions (:) shows and destroys them")
	}))
}

// orphansWord says how many machines belong to no voyage.
func orphansWord(n int) string { return words.Counted(n, "machine") + " that no voyage has" }

// Sweep finds machines that belong to no voyage, shows them, and asks whether to destroy them.
func (d *Desk) Sweep() tea.Cmd {
	start := d.Start
	return d.Jobs.Run("look for machines that no voyage has", func(ctx context.Context, _ func(api.Progress)) error {
		client, err := start(ctx)
		if err != nil {
			return err
		}
		found, err := client.Orphans(ctx, nil, nil)
		if err == nil {
			d.Send(ctx, act.Then(func() tea.Cmd { return d.AskSweep(client, found) }))
		}
		return err
	})
}

// AskSweep shows what was found, and asks whether to destroy it.
func (d *Desk) AskSweep(client *api.Client, found api.Sweep) tea.Cmd {
	d.orphans = len(found.Orphans)
	lines, request := voyages.Orphans(found, d.Now())
	switch {
	case len(request.Machines) == 0 && len(lines) == 0:
		return d.Say(toast.Good, "every machine of this install has its voyage")
	case len(request.Machines) == 0:
		return d.Say(toast.Warn, "no machine without a voyage was found; "+lines[0])
	case found.Unsure != "":
		return d.Say(toast.Warn, orphansWord(d.orphans)+", as far as is seen: "+found.Unsure+" See: ocaptain sweep --dry-run")
	case d.Busy():
		return d.Say(toast.Warn, orphansWord(d.orphans)+"; “sweep” among the actions (:) shows them")
	}
	lines = append(lines, "work on them is brought home, to left-behind among the voyages; one whose work cannot be is left as it is")
	d.Show(dialog.NewConfirm("Destroy "+orphansWord(len(request.Machines))+"?", lines, "", func() tea.Cmd {
		return d.Jobs.Run("sweep", func(ctx context.Context, report func(api.Progress)) error {
			err := client.Sweep(ctx, request, report)
			if err == nil {
				d.Send(ctx, act.Then(func() tea.Cmd { d.orphans = 0; return nil }))
			}
			return err
		})
	}))
	return nil
}

// SweepChoice returns the first row of the list of voyages while there are machines that belong to none.
func (d *Desk) SweepChoice() []dialog.Choice {
	if d.orphans == 0 {
		return nil
	}
	return []dialog.Choice{{Name: "sweep: " + orphansWord(d.orphans), Side: theme.Warn.Glyph + " may cost you", Do: func() tea.Cmd { return d.Sweep() }}}
}
