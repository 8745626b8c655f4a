package dash

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

// findOrphans asks helm, once helm has looked, how many machines belong to no voyage.
func (m *Model) findOrphans(client *api.Client) {
	all, err := client.KnownOrphans(m.ctx)
	if err != nil {
		return // helm is gone, or older; a captain who asks for a sweep is told
	}
	m.news.Send(m.ctx, act.Then(func() cmd {
		was := m.orphans
		if m.orphans = len(all); m.orphans == was || m.orphans == 0 || m.v != nil {
			return nil // with a voyage on the screen, the machines are among its needs
		}
		return m.say(toast.Warn, orphansWord(m.orphans)+" may cost you; “sweep” among the actions (:) shows and destroys them")
	}))
}

// orphansWord says how many machines belong to no voyage.
func orphansWord(n int) string { return words.Counted(n, "machine") + " that no voyage has" }

// openSweep finds machines that belong to no voyage, shows them, and asks whether to destroy them.
func (m *Model) openSweep() cmd {
	start := m.o.Helm
	return m.jobs.Run("look for machines that no voyage has", func(ctx context.Context, _ func(api.Progress)) error {
		client, err := start(ctx)
		if err != nil {
			return err
		}
		found, err := client.Orphans(ctx, nil, nil)
		if err == nil {
			m.news.Send(ctx, act.Then(func() cmd { return m.askSweep(client, found) }))
		}
		return err
	})
}

// askSweep shows what was found.
func (m *Model) askSweep(client *api.Client, found api.Sweep) cmd {
	m.orphans = len(found.Orphans)
	lines, request := voyages.Orphans(found, m.now)
	switch {
	case len(request.Machines) == 0 && len(lines) == 0:
		return m.say(toast.Good, "every machine of this install has its voyage")
	case len(request.Machines) == 0:
		return m.say(toast.Warn, "no machine without a voyage was found; "+lines[0])
	case found.Unsure != "":
		return m.say(toast.Warn, orphansWord(m.orphans)+", as far as is seen: "+found.Unsure+" See: ocaptain sweep --dry-run")
	case m.busy():
		return m.say(toast.Warn, orphansWord(m.orphans)+"; “sweep” among the actions (:) shows them")
	}
	lines = append(lines, "work on them is brought home, to left-behind among the voyages; one whose work cannot be is left as it is")
	m.show(dialog.NewConfirm("Destroy "+orphansWord(len(request.Machines))+"?", lines, "", func() tea.Cmd {
		return m.jobs.Run("sweep", func(ctx context.Context, report func(api.Progress)) error {
			err := client.Sweep(ctx, request, report)
			if err == nil {
				m.news.Send(ctx, act.Then(func() cmd { m.orphans = 0; return nil }))
			}
			return err
		})
	}))
	return nil
}

// sweepChoice returns the first row of the list of voyages while there are machines that belong to none.
func (m *Model) sweepChoice() []dialog.Choice {
	if m.orphans == 0 {
		return nil
	}
	return []dialog.Choice{{Name: "sweep: " + orphansWord(m.orphans), Side: theme.Warn.Glyph + " may cost you", Do: func() tea.Cmd { return m.openSweep() }}}
}
