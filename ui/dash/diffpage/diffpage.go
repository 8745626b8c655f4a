// Package diffpage is the page of a diff, or in its place of a proposal or the shared tree, with what the captain may decide about it.
package diffpage

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/keys"
	"ocaptain/ui/dash/patchview"
)

// Page is the page. It belongs to the goroutine that draws.
type Page struct {
	*patchview.DiffView
	// Question is what the captain may decide about the shown diff, nil for nothing.
	Question *fleet.Question
	// Proposal is the proposal that is shown, nil for none.
	Proposal *fleet.Proposal

	of    *string  // as in Of; nil for no diff
	trees []string // the state of the trees that was read last; nil for no trees
}

// OfDiff returns a page for the changes of a ship, a task, or with "" of the voyage, and reads them. For an epic whose plan waits for
// approval it shows the plan. The captain's decision is then about what is shown.
func OfDiff(ctx context.Context, title string, d fleet.Dir, b *fleet.Board, of string) (*Page, tea.Cmd) {
	p := &Page{DiffView: patchview.NewDiffView(title), of: &of}
	return p, func() tea.Msg {
		patch, err := patchview.Read(ctx, d, b, of)
		return act.Then(func() tea.Cmd {
			if err != nil {
				p.SetError(err)
				return nil
			}
			p.SetLines(patch)
			p.Question = b.QuestionOf(of)
			return nil
		})
	}
}

// Of returns the ship or the task whose diff is shown, "" for the voyage; ok says whether a diff is shown.
func (p *Page) Of() (of string, ok bool) {
	if p.of == nil {
		return "", false
	}
	return *p.of, true
}

// OfProposal returns a page for the whole of a proposal. The captain's decision is then about what is shown.
func OfProposal(b *fleet.Board, p *fleet.Proposal) *Page {
	saw, view := *p, patchview.NewDiffView(fmt.Sprintf("proposal %d", p.ID))
	view.SetText(b.Describe(p))
	return &Page{DiffView: view, Proposal: &saw}
}

// OfTrees returns a page for the state of a voyage's shared trees, and both sides of each clashing file.
func OfTrees() *Page {
	return &Page{DiffView: patchview.NewDiffView("the tree that all share"), trees: []string{}}
}

// ShowsTrees reports whether the page shows trees.
func (p *Page) ShowsTrees() bool { return p.trees != nil }

// Scope returns where its keys act.
func (p *Page) Scope() keys.Scope { return keys.InDiff }

// Reload reads the data of a page of trees: at first, and when a new board says something else about the trees. Other pages stay as they are.
func (p *Page) Reload(ctx context.Context, d fleet.Dir, b *fleet.Board, _ time.Time) tea.Cmd {
	if !p.ShowsTrees() {
		return nil
	}
	said, clashes := changes.OfTrees(b), changes.Clashes(b)
	shown := slices.Clone(said)
	for _, c := range clashes {
		shown = append(shown, c.String())
	}
	if slices.Equal(shown, p.trees) {
		return nil
	}
	p.trees = shown
	return func() tea.Msg {
		patch, err := changes.ReadTrees(ctx, d, said, clashes)
		return act.Then(func() tea.Cmd {
			if p.SetError(err); err == nil {
				p.SetLines(patch)
			}
			return nil
		})
	}
}
