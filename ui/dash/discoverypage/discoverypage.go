// Package discoverypage is the page of a repository's discoveries: a list, and the whole text of one.
package discoverypage

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/search/discoveries"
	"ocaptain/theme"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/keys"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// Page is the discovery page. It belongs to the goroutine that draws.
type Page struct {
	found    *discoveries.Found // nil until it was read
	now      time.Time          // when found was read
	in       string             // commit of the branch at which it was read last, "" for none
	err      error              // why there are no discoveries, or no newer ones
	selected int
	whole    bool // the selected discovery fills the page
	first    int  // first visible row, of the list or of the text
	height   int
}

// Scope returns where its keys act.
func (p *Page) Scope() keys.Scope { return keys.InDiscoveries }

// Reload reads the discoveries in the repository of a voyage and shows them, unless it has read them at the present
// head of the branch.
func (p *Page) Reload(ctx context.Context, d fleet.Dir, b *fleet.Board, now time.Time) tea.Cmd {
	if p.in != "" && p.in == b.Head {
		return nil
	}
	p.in = b.Head
	repo, branch := d.Workspace(), b.Voyage.Branch
	return func() tea.Msg {
		found, err := discoveries.Find(ctx, repo, "refs/heads/"+branch)
		return act.Then(func() tea.Cmd {
			if p.err = err; err == nil {
				p.SetFound(found, now)
			}
			return nil
		})
	}
}

// SetFound shows discoveries, with their ages as of now. The selected discovery stays selected.
func (p *Page) SetFound(f discoveries.Found, now time.Time) {
	var file string
	if d := p.discovery(); d != nil {
		file = d.File
	}
	p.found, p.now, p.err = &f, now, nil
	p.selected = min(p.selected, max(0, len(f.Discoveries)-1))
	still := false
	for i := range f.Discoveries {
		if f.Discoveries[i].File == file {
			p.selected, still = i, true
		}
	}
	p.whole = p.whole && still
}

// IsEmpty reports whether there is no discovery.
func (p *Page) IsEmpty() bool { return p.discovery() == nil }

// discovery returns the selected discovery, nil when the list is empty.
func (p *Page) discovery() *discoveries.Discovery {
	if p.found == nil || p.selected >= len(p.found.Discoveries) {
		return nil
	}
	return &p.found.Discoveries[p.selected]
}

// Toggle shows the whole text of the selected discovery, which must exist, or the list again.
func (p *Page) Toggle() {
	p.whole, p.first = !p.whole, 0
}

// Close shows the list again, and reports whether the page showed a text.
func (p *Page) Close() bool {
	was := p.whole
	p.whole, p.first = false, 0
	return was
}

// Title returns the title of the page.
func (p *Page) Title() string {
	if p.whole {
		return clean.Line(p.discovery().File)
	}
	return "Discoveries"
}

// Info returns how many discoveries there are.
func (p *Page) Info() string {
	if p.found == nil {
		return ""
	}
	stale := 0
	for _, d := range p.found.Discoveries {
		if d.Stale {
			stale++
		}
	}
	info := fmt.Sprintf("%d, %d stale", len(p.found.Discoveries), stale)
	if n := len(p.found.Skipped); n > 0 {
		info += fmt.Sprintf(", %s skipped", words.Counted(n, "file"))
	}
	if p.err != nil {
		info += "; could not be read again"
	}
	return info
}

// View draws the body as exactly height rows of exactly width cells.
func (p *Page) View(width, height int) []string {
	p.height = height
	switch {
	case p.found == nil && p.err != nil:
		return pane.Message(width, height, pane.Failed, "what reviewers found out could not be read", clean.Line(p.err.Error()))
	case p.found == nil:
		return pane.Message(width, height, pane.Loading, "reading what reviewers found out")
	case len(p.found.Discoveries) == 0:
		return pane.Message(width, height, pane.Empty, "reviewers found nothing out yet", "what they find out is kept in docs/discoveries: ocaptain help code-search")
	case p.whole:
		rows := p.text(width)
		p.first = max(0, min(p.first, len(rows)-height))
		return pane.FitRows(rows[p.first:], width, height)
	}
	p.first = pane.Scroll(p.first, p.selected, len(p.found.Discoveries), height-1)
	rows := []string{theme.Dim.Render(line("TYPE", "AGE", "STATE", "DISCOVERY"))}
	for i := p.first; i < len(p.found.Discoveries) && len(rows) < height; i++ {
		d := &p.found.Discoveries[i]
		state := theme.Discovery(d.Stale)
		row := line(d.Type, words.Age(p.now.Sub(d.At)), state.Style.Render(state.Glyph+" "+state.Word), clean.Line(d.Title()))
		if row = pane.Fit(row, width); i == p.selected {
			row = pane.Highlight(row, true)
		}
		rows = append(rows, row)
	}
	return pane.FitRows(rows, width, height)
}

// line returns a row of the list.
func line(kind, age, state, title string) string {
	return pane.Fit(kind, 10) + " " + pane.Fit(age, 7) + " " + pane.Fit(state, 7) + "  " + title
}

// text returns the whole text of the selected discovery.
func (p *Page) text(width int) []string {
	d := p.discovery()
	state := theme.Discovery(d.Stale)
	fact := func(name, text string) string { return theme.Dim.Render(fmt.Sprintf("%-9s", name)) + text }
	all := []string{
		fact("type", d.Type), fact("state", state.Style.Render(state.Glyph+" "+state.Word)),
		fact("found", fmt.Sprintf("%s, in %s", words.Since(p.now, d.At), words.ShortCommit(d.Commit))),
	}
	if d.Task != "" {
		all = append(all, fact("task", clean.Line(d.Task)+" by "+clean.Line(d.Author)))
	}
	for _, list := range []struct {
		name  string
		files []string
	}{{"about", d.Files}, {"also in", d.Same}} {
		for _, f := range list.files {
			all = append(all, fact(list.name, clean.Line(f)))
		}
	}
	all = append(all, "", strings.ReplaceAll(clean.Text(d.Text), "\t", "    "))
	return words.Wrap(strings.Join(all, "\n"), width)
}

// ScrollBy selects the discovery n rows down, or up for a negative n; when the page shows a text, it scrolls the
// text.
func (p *Page) ScrollBy(n int) {
	if p.whole {
		p.first = max(0, p.first+n)
	} else if p.found != nil {
		p.selected = max(0, min(p.selected+n, len(p.found.Discoveries)-1))
	}
}

// Top scrolls to the first row.
func (p *Page) Top() { p.ScrollBy(-math.MaxInt32) }

// Bottom scrolls to the last row.
func (p *Page) Bottom() { p.ScrollBy(math.MaxInt32) }
