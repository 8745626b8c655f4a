package dash

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/words"
)

// messageOne writes a message to the selected ship. A message to the coordinator becomes an epic.
func (m *Model) messageOne() cmd {
	if m.onCoordinator() {
		return m.messageCoordinator()
	}
	return m.message([]string{m.shipName()})
}

// noAddressee says why no message can be written.
func (m *Model) noAddressee() string {
	if m.onCoordinator() {
		return m.noSession()
	}
	if s := m.current(); s != nil && !m.takesMessages(&s.Ship) {
		return "agent " + clean.Line(s.Agent) + " of " + s.Name + " takes no messages"
	}
	return m.noShip()
}

// takesMessages reports whether a ship's agent takes messages; true when that is unknown, as helm then decides.
func (m *Model) takesMessages(s *fleet.Ship) bool {
	a, err := m.v.board.Voyage.FindAgent(s)
	return err != nil || a.TakesMessages()
}

// messageMany writes a message to the marked ships, or to all.
func (m *Model) messageMany() cmd {
	marked := m.v.agents.Marked()
	var names []string
	for i := range m.v.board.Ships {
		s := &m.v.board.Ships[i]
		wanted := slices.Contains(marked, s.Name) || len(marked) == 0 && s.Phase == fleet.Afloat
		if wanted && m.takesMessages(&s.Ship) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return m.say(toast.Warn, "no ship takes messages now")
	}
	return m.message(names)
}

// message asks for a text and sends it to ships, each on its own.
func (m *Model) message(names []string) cmd {
	title := "Message to " + names[0]
	if len(names) > 1 {
		title = "Message to " + words.Counted(len(names), "ship")
		if len(names) <= 4 {
			title = "Message to " + strings.Join(names, ", ")
		}
	}
	voyage := m.v.dir.ID()
	m.compose(forAgents, title, "what should the agent do?", func(text string) tea.Cmd {
		var cmds []cmd
		for _, name := range names {
			cmds = append(cmds, m.sendTo(voyage, name, text))
		}
		return tea.Batch(cmds...)
	})
	return nil
}

// sendTo sends a message to a ship and shows whether the agent has got it.
func (m *Model) sendTo(voyage, name, text string) cmd {
	client := m.client
	if client == nil {
		return m.say(toast.Bad, "message to "+name+": helm is not there yet; it is being started")
	}
	r := api.SayRequest{Text: text, Wait: 15 * time.Second}
	return m.job("message to "+name, func(ctx context.Context, _ func(api.Progress)) (ending, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		said, err := api.Send(ctx, client, m.o.Helm, voyage, name, r)
		end, well := words.MessageOutcome(said)
		return ending{end, well}, err
	})
}

// interrupt asks for confirmation, and then interrupts the agent.
func (m *Model) interrupt() cmd {
	voyage, name := m.v.dir.ID(), m.shipName()
	m.show(dialog.NewConfirm("Interrupt the agent on "+name+"?", []string{"It stops what it is doing and waits for a message."}, "", func() tea.Cmd {
		client := m.client
		if client == nil {
			return m.say(toast.Bad, "interrupt "+name+": helm is not there yet; it is being started")
		}
		return m.job("interrupt "+name, func(ctx context.Context, _ func(api.Progress)) (ending, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			i, err := client.Interrupt(ctx, voyage, name)
			switch {
			case !i.Was:
				return ending{"it was not working", false}, err
			case i.Still:
				return ending{"it works on: on what waited, or it does not heed; attach to see", false}, err
			}
			return ending{"it waits for a message", true}, err
		})
	}))
	return nil
}
