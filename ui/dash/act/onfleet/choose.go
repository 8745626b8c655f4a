package onfleet

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/machines"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/dash/voyages"
	"ocaptain/ui/launch/places"
	"ocaptain/ui/words"
)

// Choose lets the captain choose another voyage, from a list that is read meanwhile.
func (d *Desk) Choose() tea.Cmd {
	hub := d.Hub
	return func() tea.Msg {
		rows, err := voyages.List(hub)
		recorded := machines.Of(hub).Count("not asked")
		return act.Then(func() tea.Cmd {
			switch {
			case err != nil:
				return d.Say(toast.Bad, "voyages: "+err.Error())
			case d.Busy():
				return d.Say(toast.Warn, "the voyages are listed now; V again shows them")
			}
			choices := d.SweepChoice()
			for _, r := range rows {
				choices = append(choices, dialog.Choice{Name: r.Name(), Side: r.Side(d.Now()), Do: func() tea.Cmd {
					d.Open(r.Dir)
					return nil
				}})
			}
			pick := dialog.NewChoose("Voyages", "no voyage yet: esc, then s sails a plan", choices)
			pick.SetInfo(words.OnRecord(recorded))
			d.Show(pick)
			return d.countMachines(pick)
		})
	}
}

// countMachines asks all providers how many machines there are, and shows the number beside the title of an open
// choice.
func (d *Desk) countMachines(pick *dialog.Choose) tea.Cmd {
	ctx, hub := d.Context, d.Hub
	return func() tea.Msg {
		text := words.Machines(places.CountMachines(ctx, hub).Providers)
		return act.Then(func() tea.Cmd {
			pick.SetInfo(text)
			return nil
		})
	}
}
