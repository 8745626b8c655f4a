package logpane

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
)

// Info describes in words what the pane shows.
func (p *Pane) Info() string {
	parts := []string{p.movement()}
	if p.began {
		parts = append(parts, p.filters()...)
	}
	if p.grep != nil && p.context == Around {
		parts = append(parts, theme.Dim.Render("context"))
	}
	if p.grep != nil && p.context == AllLines {
		parts = append(parts, theme.Dim.Render("all lines"))
	}
	if p.wrap {
		parts = append(parts, theme.Dim.Render("wrap on"))
	}
	if !p.clock {
		parts = append(parts, theme.Dim.Render("time off"))
	}
	if p.side > 0 {
		parts = append(parts, theme.Dim.Render(fmt.Sprintf("+%d →", p.side)))
	}
	if share, whole := p.book.Indexed(); p.began && !whole {
		parts = append(parts, theme.Dim.Render("indexing … "+percent(share)))
	}
	return strings.Join(parts, theme.Dim.Render(" · "))
}

// movement says whether the pane follows.
func (p *Pane) movement() string {
	switch {
	case p.fault != nil:
		return theme.Bad.Render(theme.No.Glyph + " not read any more")
	case p.follow:
		return theme.Accent.Render("follow on")
	}
	if n := p.NewBelow(); n > 0 {
		return theme.Title.Render("paused, " + thousands(n) + " new below")
	}
	return theme.Title.Render("paused")
}

// NewBelow returns how many lines came since the pane was paused.
func (p *Pane) NewBelow() int {
	if p.follow {
		return 0
	}
	l := p.list()
	return l.Len() - l.Index(p.paused)
}

// filters describes the filters in words.
func (p *Pane) filters() []string {
	var parts []string
	if ships := p.shipNames(); len(ships) > 0 {
		parts = append(parts, strings.Join(ships, theme.Dim.Render(", ")))
	}
	if p.role != "" {
		parts = append(parts, theme.Dim.Render("role ")+p.role)
	}
	lines := p.book.Lines().Len()
	if p.grep == nil {
		return append(parts, theme.Dim.Render(counted(lines)))
	}
	found := thousands(p.book.Matches().Len()) + " of " + thousands(lines)
	if share, all := p.book.Searched(); !all {
		found += ", searching … " + percent(share)
	}
	return append(parts, "/"+clean.Line(p.grep.String())+"/ "+theme.Dim.Render(found))
}

// shipNames names the shown ships in their colours, if they are few.
func (p *Pane) shipNames() []string {
	var names []string
	for _, name := range slices.SortedFunc(maps.Keys(p.ships), compareShips) {
		if len(names) == 4 && len(p.ships) > 5 {
			return append(names, fmt.Sprintf("%d more", len(p.ships)-4))
		}
		names = append(names, theme.ShipStyle(name).Render(clean.Line(name)))
	}
	return names
}

// Legend says which key chooses which role, and highlights the shown role.
func (p *Pane) Legend() string {
	var parts []string
	for _, r := range []struct{ key, word, role string }{
		{"a", "all", ""}, {"w", "worker", "worker"}, {"v", "validator", "validator"}, {"p", "planner", "planner"},
	} {
		style := theme.Dim
		if p.role == r.role {
			style = theme.Accent
		}
		parts = append(parts, theme.Key.Render(r.key)+" "+style.Render(r.word))
	}
	return strings.Join(parts, theme.Dim.Render(" · "))
}

func percent(share float64) string { return fmt.Sprintf("%d %%", int(100*max(0, min(1, share)))) }

// counted writes a number of lines.
func counted(n int) string {
	if n == 1 {
		return "1 line"
	}
	return thousands(n) + " lines"
}

// thousands writes a number in groups of three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
