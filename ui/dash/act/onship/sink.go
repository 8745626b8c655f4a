// Package onship has the actions of the captain on ships: adding, pausing, interrupting, messaging, replacing and sinking them.
package onship

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/words"
)

// Replace asks for confirmation, and then gives a ship a new machine.
func Replace(d *act.Deck, name string) tea.Cmd {
	lost := losses(d.Board(), name)
	ask := dialog.NewConfirm("Give "+name+" a new machine?", lost, typedWhen(lost, name), func() tea.Cmd {
		if losesMore(d.Board(), lost, name) {
			return Replace(d, name)
		}
		return d.DoSteps("replace "+name, func(ctx context.Context, client *api.Client, report func(api.Progress)) error {
			return client.ReplaceShip(ctx, d.Voyage, name, report)
		})
	})
	d.Show(ask)
	return bringHome(d, ask, name)
}

// Sink asks for confirmation, and then sinks ships.
func Sink(d *act.Deck, names []string) tea.Cmd {
	lost := losses(d.Board(), names...)
	title, typed, lines := "Sink "+names[0]+"?", names[0], lost
	if len(names) > 1 {
		typed, title = "sink", "Sink "+words.Counted(len(names), "ship")+": "+strings.Join(names, ", ")+"?"
		if ansi.StringWidth(title) > 56 { // so that all names can be read
			title = "Sink " + words.Counted(len(names), "ship") + "?"
			lines = append([]string{strings.Join(names, ", ")}, lost...)
		}
	}
	ask := dialog.NewConfirm(title, lines, typedWhen(lost, typed), func() tea.Cmd {
		if losesMore(d.Board(), lost, names...) {
			return Sink(d, names)
		}
		var cmds []tea.Cmd
		for _, name := range names {
			cmds = append(cmds, d.DoSteps("sink "+name, func(ctx context.Context, client *api.Client, report func(api.Progress)) error {
				return client.RemoveShip(ctx, d.Voyage, name, report)
			}))
		}
		return tea.Batch(cmds...)
	})
	d.Show(ask.Tell(sinkFacts(d, names, len(lost) == 0)...))
	return bringHome(d, ask, names...)
}

// SinkAll says what would be lost, asks for confirmation, and sinks all ships of the voyage with that title.
func SinkAll(d *act.Deck, title string) tea.Cmd {
	b := d.Board()
	lost := losses(b)
	working := 0
	for i := range b.Ships {
		if b.Ships[i].Status.Word == fleet.Working {
			working++
		}
	}
	lines := lost
	if working > 0 {
		lines = append([]string{words.Counted(working, "agent") + " at work"}, lost...)
	}
	ask := dialog.NewConfirm(fmt.Sprintf("Sink %s of %s?", words.Counted(len(b.Ships), "ship"), title), lines, typedWhen(lost, d.Voyage), func() tea.Cmd {
		if losesMore(d.Board(), lost) {
			return SinkAll(d, title)
		}
		return d.DoSteps("sink the voyage", func(ctx context.Context, client *api.Client, report func(api.Progress)) error {
			return client.Sink(ctx, d.Voyage, report)
		})
	})
	d.Show(ask)
	return bringHome(d, ask)
}

// bringHome has helm fetch the newest work of ships while the captain is asked about them; the board then says what they have. Only
// now does helm count their git-ignored files, which it adds to the question.
func bringHome(d *act.Deck, ask *dialog.Confirm, ships ...string) tea.Cmd {
	return d.Ask(func(ctx context.Context, client *api.Client) act.Then {
		board, err := client.CopyWork(ctx, d.Voyage, ships...)
		if err != nil {
			return nil // the board says which ships could not be reached
		}
		return func() tea.Cmd {
			ask.Add(ignored(&board, ships)...)
			return nil
		}
	})
}

// sinkFacts says what happens to the work of ships that are sunk, and what they cost.
func sinkFacts(d *act.Deck, names []string, merged bool) []string {
	var ships []*fleet.ShipView
	b := d.Board()
	for i := range b.Ships {
		if s := &b.Ships[i]; slices.Contains(names, s.Name) {
			ships = append(ships, s)
		}
	}
	var facts []string
	if len(ships) == 1 {
		facts = append(facts, "Its machine is destroyed, and it leaves the voyage.")
	} else {
		facts = append(facts, "Their machines are destroyed, and they leave the voyage.")
	}
	if merged {
		facts = append(facts, "Nothing is lost: all that was copied from there is merged.")
	}
	var hour, so, agents float64
	for _, s := range ships {
		if s.Task != "" {
			facts = append(facts, "Task "+clean.Line(s.Task)+" of "+s.Name+" becomes ready for others.")
		}
		hour += s.Price
		so += s.Price * s.AgeAt(d.Now).Hours()
		agents += s.Usage.CostUSD
	}
	if hour > 0 {
		facts = append(facts, fmt.Sprintf("That saves %s an hour; so far it has cost about %s.", words.Dollars(hour), words.Dollars(so)))
	}
	if agents > 0 {
		facts = append(facts, "Agents there have cost "+words.Dollars(agents)+".")
	}
	return facts
}

// ignored lists the git-ignored files that are destroyed with ships; without names, with all ships.
func ignored(board *fleet.Board, names []string) []string {
	var all []string
	for i := range board.Ships {
		s := &board.Ships[i]
		if text := words.Ignored(s); text != "" && (len(names) == 0 || slices.Contains(names, s.Name)) {
			all = append(all, clean.Line(text)+"; ocaptain sink --keep-ignored copies them first")
		}
	}
	return all
}

// typedWhen returns what the captain has to type to confirm: name when something is lost, "" for nothing.
func typedWhen(lost []string, name string) string {
	if len(lost) == 0 {
		return ""
	}
	return name
}

// losses lists what would be lost with ships; without names, with all ships.
func losses(b *fleet.Board, names ...string) []string {
	var lost []string
	for i := range b.Ships {
		s := &b.Ships[i]
		if l := words.Losses(s); l != "" && (len(names) == 0 || slices.Contains(names, s.Name)) {
			lost = append(lost, clean.Line(l))
		}
	}
	return lost
}

// losesMore reports whether work would be lost now although none would have been when the captain was asked.
func losesMore(b *fleet.Board, asked []string, names ...string) bool {
	return len(asked) == 0 && len(losses(b, names...)) > 0
}
