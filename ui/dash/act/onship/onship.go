package onship

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/mix"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

// Add adds a ship. It asks for the provider when ships of the voyage come from several.
func Add(d *act.Deck) tea.Cmd {
	mix, err := mix.Parse(d.Board().Voyage.Provider, launch.Providers())
	if err != nil || !mix.Several() {
		return AddFrom(d, "")
	}
	var from []dialog.Choice
	for _, p := range mix {
		from = append(from, dialog.Choice{Name: p.Provider, Do: func() tea.Cmd { return AddFrom(d, p.Provider) }})
	}
	d.Show(dialog.NewChoose("Add a ship from", "", from))
	return nil
}

// AddFrom adds a ship of a provider, "" for the provider of the voyage.
func AddFrom(d *act.Deck, provider string) tea.Cmd {
	return d.DoSteps("add a ship", func(ctx context.Context, client *api.Client, report func(api.Progress)) error {
		return client.AddShips(ctx, d.Voyage, api.AddRequest{Ships: 1, Provider: provider}, report)
	})
}

// PauseOrResume pauses ships, or resumes them when all of them are paused.
func PauseOrResume(d *act.Deck, names []string) tea.Cmd {
	paused := func(name string) bool {
		s := d.Ship(name)
		return s != nil && (s.Rate.IsReached() || fleet.Paused(d.Now, s.Pause, fleet.Budget{}) != "")
	}
	if slices.ContainsFunc(names, func(name string) bool { return !paused(name) }) {
		return d.Do("pause "+strings.Join(names, ", "), func(ctx context.Context, client *api.Client) error {
			return client.Pause(ctx, d.Voyage, api.PauseRequest{Ships: names})
		})
	}
	return Resume(d, names)
}

// PauseOrResumeAll pauses the voyage, whose agents then stop at the end of their turns, or resumes it.
func PauseOrResumeAll(d *act.Deck) tea.Cmd {
	if p := d.Board().Pause; p != nil && !p.IsOver(d.Now) {
		return Resume(d, nil)
	}
	return d.Do("pause", func(ctx context.Context, client *api.Client) error {
		return client.Pause(ctx, d.Voyage, api.PauseRequest{})
	})
}

// Resume ends the pause of ships, or without ships the pause of the voyage.
func Resume(d *act.Deck, names []string) tea.Cmd {
	name := strings.TrimSpace("resume " + strings.Join(names, ", "))
	return d.Run(name, func(ctx context.Context, client *api.Client, _ func(api.Progress)) (act.Ending, error) {
		notes, err := client.Resume(ctx, d.Voyage, api.ResumeRequest{Ships: names})
		return act.Ending{Text: words.Notes(notes), Well: true}, err
	})
}

// Drain asks for confirmation, and then drains a worker, which finishes its work and goes.
func Drain(d *act.Deck, name string) tea.Cmd {
	d.Show(dialog.NewConfirm("Drain "+name+"?", []string{"It finishes what it does, gets no more, and its machine is destroyed then."}, "", func() tea.Cmd {
		return d.Do("drain "+name, func(ctx context.Context, client *api.Client) error { return client.Drain(ctx, d.Voyage, name) })
	}))
	return nil
}

// Interrupt asks for confirmation, and then interrupts the agent of a ship.
func Interrupt(d *act.Deck, name string) tea.Cmd {
	d.Show(dialog.NewConfirm("Interrupt the agent on "+name+"?", []string{"It stops what it is doing and waits for a message."}, "", func() tea.Cmd {
		return d.Run("interrupt "+name, func(ctx context.Context, client *api.Client, _ func(api.Progress)) (act.Ending, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			i, err := client.Interrupt(ctx, d.Voyage, name)
			switch {
			case !i.Was:
				return act.Ending{Text: "it was not working"}, err
			case i.Still:
				return act.Ending{Text: "it works on: on what waited, or it does not heed; attach to see"}, err
			}
			return act.Ending{Text: "it waits for a message", Well: true}, err
		})
	}))
	return nil
}

// NoMessages says why the agent of a ship takes no messages, "" when it takes them or that is unknown, as helm then decides.
func NoMessages(b *fleet.Board, s *fleet.Ship) string {
	if a, err := b.Voyage.FindAgent(s); err == nil && !a.TakesMessages() {
		return "agent " + clean.Line(s.Agent) + " of " + s.Name + " takes no messages"
	}
	return ""
}

// MessageAll writes a message to the marked ships, or to all.
func MessageAll(d *act.Deck, marked []string) tea.Cmd {
	var names []string
	b := d.Board()
	for i := range b.Ships {
		s := &b.Ships[i]
		wanted := slices.Contains(marked, s.Name) || len(marked) == 0 && s.Phase == fleet.Afloat
		if wanted && NoMessages(b, &s.Ship) == "" {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return d.Say(toast.Warn, "no ship takes messages now")
	}
	return Message(d, names)
}

// Message asks for a text and sends it to ships, each on its own.
func Message(d *act.Deck, names []string) tea.Cmd {
	title := "Message to " + names[0]
	if len(names) > 1 {
		title = "Message to " + words.Counted(len(names), "ship")
		if len(names) <= 4 {
			title = "Message to " + strings.Join(names, ", ")
		}
	}
	// The purpose names no ship, so that a text for the wrong ship comes back when another ship is chosen.
	d.Compose("agents", title, "what should the agent do?", func(text string) tea.Cmd {
		var cmds []tea.Cmd
		for _, name := range names {
			cmds = append(cmds, sendTo(d, name, text))
		}
		return tea.Batch(cmds...)
	})
	return nil
}

// sendTo sends a message to a ship and shows whether the agent has got it.
func sendTo(d *act.Deck, name, text string) tea.Cmd {
	r := api.SayRequest{Text: text, Wait: 15 * time.Second}
	return d.Run("message to "+name, func(ctx context.Context, client *api.Client, _ func(api.Progress)) (act.Ending, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		said, err := api.Send(ctx, client, d.Start, d.Voyage, name, r)
		text, well := words.MessageOutcome(said)
		return act.Ending{Text: text, Well: well}, err
	})
}
