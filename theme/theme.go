// Package theme holds the look of things: palettes, roles for their colours, and a glyph and a word
// for every state, so that nothing depends on colour alone.
//
// The roles are variables that Activate sets. Only the goroutine that draws may use them.
package theme

import (
	"hash/fnv"
	"image/color"
	"slices"

	"charm.land/lipgloss/v2"
)

// The roles, which are styles named after their use.
var (
	Plain   lipgloss.Style // text
	Title   lipgloss.Style // a heading
	Key     lipgloss.Style // a key; its effect is beside it in Dim
	Dim     lipgloss.Style // less important text
	Accent  lipgloss.Style // live or selected things
	Working lipgloss.Style // a state in which work goes on
	Needs   lipgloss.Style // whatever needs the captain, and nothing else
	Good    lipgloss.Style
	Bad     lipgloss.Style
	Added   lipgloss.Style // in a diff
	Removed lipgloss.Style
	Hunk    lipgloss.Style
	Hit     lipgloss.Style // a match of a search

	Selected         lipgloss.Style // the selected row of the focused pane
	SelectedElse     lipgloss.Style // the selected row of another pane
	Marked           lipgloss.Style // the mark of a marked row
	Border           lipgloss.Style
	BorderFocused    lipgloss.Style
	PaneTitle        lipgloss.Style
	PaneTitleFocused lipgloss.Style
	Bar              lipgloss.Style // the header
	Track            lipgloss.Style // the empty part of a progress bar

	HeavyFocus bool // whether the focused pane has a frame of heavy lines
)

// The marks of a single line.
var (
	Yes   State // success
	No    State // failure
	Warn  State // attention
	Going State // in progress
)

// ships are the colours of ships' names. Names are always written too, so no colour of a role is among them.
var ships []color.Color

// Name is the name of a theme.
type Name string

// The themes.
const (
	Terminal Name = "terminal" // the terminal's own sixteen colours
	Dark     Name = "dark"
	Light    Name = "light"
	Contrast Name = "contrast" // black and white, and few bright colours
	Mono     Name = "mono"     // no colour at all
)

// Names lists the themes in the order of Next.
func Names() []Name { return []Name{Dark, Light, Contrast, Terminal, Mono} }

// IsValid reports whether a theme has this name.
func (n Name) IsValid() bool { return slices.Contains(Names(), n) }

// Next returns the theme after n.
func (n Name) Next() Name {
	all := Names()
	return all[(slices.Index(all, n)+1)%len(all)]
}

// active is the current theme.
var active Name

// Active returns the current theme. Rows that were drawn in another theme must be drawn again.
func Active() Name { return active }

// Activate sets the roles to those of a theme. An unknown name means Terminal.
func Activate(n Name) {
	p, ok := palettes[n]
	if !ok {
		n, p = Terminal, palettes[Terminal]
	}
	active = n
	text := func(c color.Color) lipgloss.Style {
		if c == nil {
			return lipgloss.NewStyle()
		}
		return lipgloss.NewStyle().Foreground(c)
	}
	Plain, Title = text(p.text), text(p.text).Bold(true)
	Key, Dim, Accent = text(p.accent).Bold(true), text(p.dim), text(p.accent).Bold(true)
	Working, Needs = text(p.working), text(p.needs).Bold(true)
	Good, Bad = text(p.good), text(p.bad).Bold(true)
	Added, Removed, Hunk = text(p.good), text(p.bad).Bold(false), text(p.working)
	Hit = lipgloss.NewStyle().Reverse(true)
	Border, BorderFocused = text(p.border), text(p.accent)
	PaneTitle, PaneTitleFocused = text(p.dim), text(p.accent).Bold(true)
	Bar, Track, Marked = text(p.text), text(p.border), text(p.accent).Bold(true)
	Selected, SelectedElse = lipgloss.NewStyle().Reverse(true), lipgloss.NewStyle().Bold(true).Underline(true)
	if p.selected != nil {
		Selected, SelectedElse = lipgloss.NewStyle().Background(p.selected).Bold(true), lipgloss.NewStyle().Background(p.selectedElse)
	}
	if p.hit != nil {
		Hit = lipgloss.NewStyle().Background(p.hit).Foreground(p.onHit)
	}
	ships, HeavyFocus = p.ships, p.heavy
	Yes, No = State{"✓", "ok", Good}, State{"✗", "failed", Bad}
	Warn, Going = State{"!", "warning", Title}, State{"◌", "started", Dim}
}

// Ground returns the colours of text and background that a theme is made for, nil for a theme that suits all
// backgrounds.
func Ground(n Name) (text, background color.Color) {
	p := palettes[n]
	return p.text, p.ground
}

func init() { Activate(Terminal) }

// ShipStyle returns the style of a ship's name. It depends on the name alone.
func ShipStyle(name string) lipgloss.Style {
	if len(ships) == 0 {
		return lipgloss.NewStyle()
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return lipgloss.NewStyle().Foreground(ships[h.Sum32()%uint32(len(ships))])
}
