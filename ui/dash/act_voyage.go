package dash

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/theme"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/onship"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/sailform"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/dash/voyages"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/places"
	"ocaptain/ui/words"
)

// openSail asks whether to sail a plan or to add a ship; before the first voyage, and after the end of one, it goes
// straight to the plan.
func (m *Model) openSail() cmd {
	if m.v == nil || !m.v.loaded || m.v.board.Phase == fleet.Sunk {
		return m.openForm()
	}
	d := m.deck()
	add := dialog.Choice{Name: "add a ship to this voyage", Do: func() tea.Cmd { return onship.Add(d) }}
	if m.pool() != "" {
		add.Name = "add a worker to this pool"
	}
	if m.v.board.Phase.IsOver() {
		add.Off = "it is over"
	}
	m.show(dialog.NewChoose("Sail", "", []dialog.Choice{add, {Name: "sail a plan: a new voyage", Do: m.openForm}}))
	return nil
}

// openForm asks for everything that a new voyage needs.
func (m *Model) openForm() cmd {
	f, c := sailform.New(m.o.Yard, m.sail)
	m.show(f)
	return c
}

// sail sails an order. The dashboard shows the voyage as soon as provisioning begins, with the progress of each ship;
// when the voyage is taken back, the dashboard shows the one before again.
func (m *Model) sail(o *launch.Order) tea.Cmd {
	var before fleet.Dir
	if m.v != nil {
		before = m.v.dir
	}
	var made fleet.Dir
	gone := false // only the goroutine that updates the model uses it
	o.Launched = func(d fleet.Dir) {
		made = d
		// The voyage must not wait until the captain returns from a ship, where no dashboard is shown.
		go m.news.Send(m.ctx, act.Then(func() cmd {
			if gone {
				return nil
			}
			return m.arrive(d, o.Name())
		}))
	}
	return m.jobs.Run("sail "+o.Name(), func(ctx context.Context, report func(api.Progress)) error {
		_, err := m.o.Yard.StartVoyage(context.WithoutCancel(ctx), o, report) // quitting must not take anything back
		if err != nil && made != "" {
			m.news.Send(ctx, act.Then(func() cmd {
				gone = true
				return m.back(made, before)
			}))
		}
		return err
	})
}

// arrive shows a voyage that was just launched, unless the captain is busy.
func (m *Model) arrive(d fleet.Dir, name string) cmd {
	if m.busy() || m.visits.asked != 0 {
		return m.say(toast.Good, name+" is being provisioned; V shows it")
	}
	m.open(d)
	return nil
}

// back leaves a voyage that was taken back, unless the captain is busy in it.
func (m *Model) back(from, to fleet.Dir) cmd {
	switch {
	case m.v == nil || m.v.dir != from:
	case m.busy():
		return m.say(toast.Warn, "this voyage was taken back; V shows others")
	case to != "":
		m.open(to)
	default:
		m.v.close()
		m.begin(nil)
	}
	return nil
}

// verify runs verify.sh now.
func (m *Model) verify() cmd { return m.verifyWith(api.VerifyRequest{}) }

func (m *Model) verifyWith(r api.VerifyRequest) cmd {
	d := m.deck()
	return d.DoSteps("verify", func(ctx context.Context, client *api.Client, report func(api.Progress)) error {
		return client.Verify(ctx, d.Voyage, r, report)
	})
}

// pauseOrResume pauses the voyage, whose agents then stop at the end of their turns, or resumes it.
func (m *Model) pauseOrResume() cmd { return onship.PauseOrResumeAll(m.deck()) }

// sinkVoyage asks for confirmation, and sinks all ships.
func (m *Model) sinkVoyage() cmd { return onship.SinkAll(m.deck(), clean.Line(m.title())) }

// openVoyages lets the captain choose another voyage, from a list that is read meanwhile.
func (m *Model) openVoyages() cmd {
	hub := m.o.Hub
	return func() tea.Msg {
		rows, err := voyages.List(hub)
		recorded := machines.Of(hub).Count("not asked")
		return act.Then(func() cmd {
			switch {
			case err != nil:
				return m.say(toast.Bad, "voyages: "+err.Error())
			case m.busy():
				return m.say(toast.Warn, "the voyages are listed now; V again shows them")
			}
			choices := m.sweepChoice()
			for _, r := range rows {
				choices = append(choices, dialog.Choice{Name: r.Name(), Side: r.Side(m.now), Do: func() tea.Cmd {
					m.open(r.Dir)
					return nil
				}})
			}
			pick := dialog.NewChoose("Voyages", "no voyage yet: esc, then s sails a plan", choices)
			pick.SetInfo(words.OnRecord(recorded))
			m.show(pick)
			return m.countMachines(pick)
		})
	}
}

// countMachines asks all providers how many machines there are, and shows the number beside the title of an open
// choice.
func (m *Model) countMachines(pick *dialog.Choose) cmd {
	ctx, hub := m.ctx, m.o.Hub
	return func() tea.Msg {
		text := words.Machines(places.CountMachines(ctx, hub).Providers)
		return act.Then(func() cmd {
			pick.SetInfo(text)
			return nil
		})
	}
}

// diffVoyage shows what the voyage has changed.
func (m *Model) diffVoyage() cmd { return m.loadDiff("") }

// quit ends the dashboard. Ships sail on; it asks for confirmation when an action would be cut off.
func (m *Model) quit() cmd {
	if m.jobs.Running() > 0 && (m.leaving == nil || !slices.Contains(m.dialogs, m.leaving)) {
		m.leaving = dialog.NewConfirm("Quit now?", []string{words.Counted(m.jobs.Running(), "action") + " under way: a voyage that is being provisioned is taken back, all else goes on"}, "", func() tea.Cmd { return tea.Quit })
		m.show(m.leaving)
		return nil
	}
	return tea.Quit
}

func (m *Model) suspend() cmd { return tea.Suspend }

// nextTheme changes to the next theme.
func (m *Model) nextTheme() cmd {
	m.look, m.chosen = m.look.Next(), true
	theme.Activate(m.look)
	return m.say(toast.Good, "theme: "+string(m.look)+"; to keep it: theme: "+string(m.look)+" in "+m.o.Hub.ConfigFile())
}
