// Package theme says how things look: palettes, the roles that their colours play, and a
// glyph and a word for every state, so that nothing depends on colour alone.
//
// The roles are variables that Use sets. They belong to the one goroutine that draws.
package theme

import (
	"hash/fnv"
	"image/color"
	"slices"

	"charm.land/lipgloss/v2"
)

// The roles.
var (
	Plain   lipgloss.Style // text
	Title   lipgloss.Style // a heading
	Key     lipgloss.Style // a key, and what it does beside it in Dim
	Dim     lipgloss.Style // what matters less
	Accent  lipgloss.Style // what is live or chosen
	Working lipgloss.Style // a state in which work goes on
	Needs   lipgloss.Style // what needs the captain, and nothing else
	Good    lipgloss.Style
	Bad     lipgloss.Style
	Added   lipgloss.Style // in a diff
	Removed lipgloss.Style
	Hunk    lipgloss.Style
	Hit     lipgloss.Style // what a search found

	Selected         lipgloss.Style // the selected row of the focused pane
	SelectedElse     lipgloss.Style // the selected row of another pane
	Marked           lipgloss.Style // the mark of a row that is marked
	Border           lipgloss.Style
	BorderFocused    lipgloss.Style
	PaneTitle        lipgloss.Style
	PaneTitleFocused lipgloss.Style
	Bar              lipgloss.Style // the header
	Track            lipgloss.Style // the rest of a progress bar

	HeavyFocus bool // the frame of the focused pane is drawn with heavy lines
)

// The marks of a single line.
var (
	Yes   State // it went well
	No    State // it did not
	Warn  State // it deserves attention
	Going State // it is on its way
)

// ships are told apart by colour; their names are always written as well. Colours that
// mean something are left out.
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

// Names lists the themes in the order in which the captain goes through them.
func Names() []Name { return []Name{Dark, Light, Contrast, Terminal, Mono} }

// IsValid reports whether there is such a theme.
func (n Name) IsValid() bool { return slices.Contains(Names(), n) }

// Next is the theme after this one.
func (n Name) Next() Name {
	all := Names()
	return all[(slices.Index(all, n)+1)%len(all)]
}

// active is the theme whose roles are set.
var active Name

// Active returns the theme whose roles are set. Rows that were drawn in another one are out of date.
func Active() Name { return active }

// Activate makes the roles those of a theme. A name that is not known is Terminal.
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

// Ground is the text and the background that a theme is made for, nil for a theme that
// goes with any.
func Ground(n Name) (text, background color.Color) {
	p := palettes[n]
	return p.text, p.ground
}

func init() { Activate(Terminal) }

// ShipStyle is the style of a ship's name: the same for a name wherever and whenever
// it is shown.
func ShipStyle(name string) lipgloss.Style {
	if len(ships) == 0 {
		return lipgloss.NewStyle()
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return lipgloss.NewStyle().Foreground(ships[h.Sum32()%uint32(len(ships))])
}
