package dash

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/patchview"
	"ocaptain/ui/words"
)

func (m *Model) noSharedTree() string {
	switch {
	case m.noVoyage() != "":
		return m.noVoyage()
	case m.v.board.Voyage.Sync != fleet.SyncLive:
		return "each ship of this voyage has a tree of its own"
	}
	return ""
}

// openTrees shows the state of a voyage's shared trees, and both sides of each clashing file.
func (m *Model) openTrees() cmd {
	m.pages.diff = &diffPage{DiffView: patchview.NewDiffView("the tree that all share"), trees: []string{}}
	m.openPage(diff)
	return m.readTrees()
}

// readTrees reads the data of the tree page while the page is open: at first, and when a new board says something else about the
// trees.
func (m *Model) readTrees() tea.Cmd {
	page := m.pages.diff
	if m.place != diff || page.trees == nil {
		return nil
	}
	dir, ctx, said, clashes := m.v.dir, m.ctx, changes.OfTrees(m.v.board), changes.Clashes(m.v.board)
	shown := slices.Clone(said)
	for _, c := range clashes {
		shown = append(shown, c.String())
	}
	if slices.Equal(shown, page.trees) {
		return nil
	}
	page.trees = shown
	return func() tea.Msg {
		patch, err := changes.ReadTrees(ctx, dir, said, clashes)
		return result(func(m *Model) cmd {
			if m.pages.diff != page {
				return nil
			}
			if page.SetError(err); err == nil {
				page.SetLines(patch)
			}
			return nil
		})
	}
}

// trouble is a state of a tree that the captain may settle.
type trouble struct {
	what string
	ask  func() tea.Cmd
}

// troubles lists what the tree page shows and the captain may settle.
func (m *Model) troubles() (all []trouble) {
	if m.place != diff || m.pages.diff.trees == nil {
		return nil
	}
	clashes := changes.Clashes(m.v.board)
	for _, c := range clashes {
		all = append(all, trouble{c.String(), func() tea.Cmd { return m.askSettle(c.File, []string{c.Ship}, c.File) }})
	}
	var ships []string
	paused := false
	for i := range m.v.board.Ships {
		s := &m.v.board.Ships[i]
		if s.Tree.CountConflicts() > 0 {
			ships = append(ships, s.Name)
		}
		if s.Tree.State == fleet.TreeEmptied {
			all = append(all, trouble{s.Name + ": bring back what went away", func() tea.Cmd { return m.settleTrees(api.SettleRequest{Keep: api.KeepHub, Ship: s.Name}) }})
		}
		paused = paused || s.Tree.State == fleet.TreePaused
	}
	if len(clashes) > 1 {
		all = append(all, trouble{"all files that clash", func() tea.Cmd { return m.askSettle("all files that clash", ships) }})
	}
	if paused {
		all = append(all, trouble{"go on: what went away was meant to", m.goOnWithTrees})
	}
	return all
}

func (m *Model) nothingToSettle() string {
	if len(m.troubles()) == 0 {
		return "nothing that is shown is to be settled"
	}
	return ""
}

// settleTree asks which trouble to settle, if there are several, and how.
func (m *Model) settleTree() cmd {
	all := m.troubles()
	if len(all) == 1 {
		return all[0].ask()
	}
	var choices []dialog.Choice
	for _, t := range all {
		choices = append(choices, dialog.Choice{Name: t.what, Do: t.ask})
	}
	m.show(dialog.NewChoose("Settle what?", "", choices))
	return nil
}

// askSettle asks whose copies of the files at paths count. Without paths it asks about all clashing files of the ships.
func (m *Model) askSettle(what string, ships []string, paths ...string) cmd {
	request := api.SettleRequest{Paths: paths}
	if len(ships) == 1 {
		request.Ship = ships[0]
	}
	choose := func(name, side, keep string) dialog.Choice {
		return dialog.Choice{Name: name, Side: side, Do: func() tea.Cmd {
			request.Keep = keep
			return m.settleTrees(request)
		}}
	}
	choices := []dialog.Choice{
		choose("workspace/'s", "the ship's is kept in artifacts/conflicts", api.KeepHub),
		choose("both", "the ship's goes beside it, as FILE~SHIP", api.KeepBoth),
	}
	for _, s := range ships {
		choices = append(choices, choose(s+"'s", "workspace/'s is kept in artifacts/conflicts", s))
	}
	m.show(dialog.NewChoose("Whose copy counts? "+clean.Line(what), "", choices))
	return nil
}

func (m *Model) settleTrees(r api.SettleRequest) cmd {
	if m.client == nil {
		return m.noHelm("settle")
	}
	client, voyage := m.client, m.v.dir.ID()
	return m.job("settle", func(ctx context.Context, _ func(api.Progress)) (act.Ending, error) {
		done, err := client.Settle(ctx, voyage, r)
		end := act.Ending{Text: words.Counted(len(done.Files), "file"), Well: true}
		if done.Kept != "" {
			end.Text += fmt.Sprintf("; what does not count is in %s", clean.Line(done.Kept))
		}
		return end, err
	})
}

func (m *Model) goOnWithTrees() tea.Cmd {
	client, voyage := m.client, m.v.dir.ID()
	return m.do("go on with the tree", func(ctx context.Context, _ func(api.Progress)) error { return client.GoOnWithTree(ctx, voyage) })
}
