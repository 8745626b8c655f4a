// Package ontree settles what is wrong with the tree that hub and ships share.
package ontree

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/words"
)

// trouble is a state of a tree that the captain may settle.
type trouble struct {
	what string
	ask  func(*act.Deck) tea.Cmd
}

// troubles lists what of a board the captain may settle.
func troubles(b *fleet.Board) (all []trouble) {
	clashes := changes.Clashes(b)
	for _, c := range clashes {
		all = append(all, trouble{c.String(), func(d *act.Deck) tea.Cmd { return ask(d, c.File, []string{c.Ship}, c.File) }})
	}
	var ships []string
	paused := false
	for i := range b.Ships {
		s := &b.Ships[i]
		if s.Tree.CountConflicts() > 0 {
			ships = append(ships, s.Name)
		}
		if s.Tree.State == fleet.TreeEmptied {
			all = append(all, trouble{s.Name + ": bring back what went away", func(d *act.Deck) tea.Cmd { return settle(d, api.SettleRequest{Keep: api.KeepHub, Ship: s.Name}) }})
		}
		paused = paused || s.Tree.State == fleet.TreePaused
	}
	if len(clashes) > 1 {
		all = append(all, trouble{"all files that clash", func(d *act.Deck) tea.Cmd { return ask(d, "all files that clash", ships) }})
	}
	if paused {
		all = append(all, trouble{"go on: what went away was meant to", goOn})
	}
	return all
}

// IsSettled reports whether there is nothing that the captain may settle.
func IsSettled(b *fleet.Board) bool { return len(troubles(b)) == 0 }

// Settle asks which trouble to settle, if there are several, and how.
func Settle(d *act.Deck) tea.Cmd {
	all := troubles(d.Board())
	if len(all) == 1 {
		return all[0].ask(d)
	}
	var choices []dialog.Choice
	for _, t := range all {
		choices = append(choices, dialog.Choice{Name: t.what, Do: func() tea.Cmd { return t.ask(d) }})
	}
	d.Show(dialog.NewChoose("Settle what?", "", choices))
	return nil
}

// ask asks whose copies of the files at paths count. Without paths it asks about all clashing files of the ships.
func ask(d *act.Deck, what string, ships []string, paths ...string) tea.Cmd {
	request := api.SettleRequest{Paths: paths}
	if len(ships) == 1 {
		request.Ship = ships[0]
	}
	choose := func(name, side, keep string) dialog.Choice {
		return dialog.Choice{Name: name, Side: side, Do: func() tea.Cmd {
			request.Keep = keep
			return settle(d, request)
		}}
	}
	choices := []dialog.Choice{
		choose("workspace/'s", "the ship's is kept in artifacts/conflicts", api.KeepHub),
		choose("both", "the ship's goes beside it, as FILE~SHIP", api.KeepBoth),
	}
	for _, s := range ships {
		choices = append(choices, choose(s+"'s", "workspace/'s is kept in artifacts/conflicts", s))
	}
	d.Show(dialog.NewChoose("Whose copy counts? "+clean.Line(what), "", choices))
	return nil
}

func settle(d *act.Deck, r api.SettleRequest) tea.Cmd {
	return d.Run("settle", func(ctx context.Context, client *api.Client, _ func(api.Progress)) (act.Ending, error) {
		done, err := client.Settle(ctx, d.Voyage, r)
		text := words.Counted(len(done.Files), "file")
		if done.Kept != "" {
			text += "; what does not count is in " + clean.Line(done.Kept)
		}
		return act.Ending{Text: text, Well: true}, err
	})
}

func goOn(d *act.Deck) tea.Cmd {
	return d.Do("go on with the tree", func(ctx context.Context, client *api.Client) error { return client.GoOnWithTree(ctx, d.Voyage) })
}
