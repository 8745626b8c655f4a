// Package theme says how things look: a palette, the roles that its colours play,
// and a glyph and a word for every state, so that nothing depends on colour alone.
package theme

import (
	"hash/fnv"
	"image/color"

	"charm.land/lipgloss/v2"
)

// The palette is the terminal's own sixteen colours, which its user has chosen to
// be readable on his background, be that light or dark.
var (
	red     = lipgloss.Red
	green   = lipgloss.Green
	yellow  = lipgloss.Yellow
	blue    = lipgloss.Blue
	magenta = lipgloss.Magenta
	cyan    = lipgloss.Cyan
	gray    = lipgloss.BrightBlack
)

// The roles.
var (
	Plain   = lipgloss.NewStyle()
	Title   = lipgloss.NewStyle().Bold(true)
	Key     = lipgloss.NewStyle().Bold(true).Foreground(blue)
	Dim     = lipgloss.NewStyle().Foreground(gray)
	Working = lipgloss.NewStyle().Foreground(cyan)
	Waiting = lipgloss.NewStyle().Bold(true).Foreground(yellow)
	Blocked = lipgloss.NewStyle().Foreground(yellow)
	Good    = lipgloss.NewStyle().Foreground(green)
	Bad     = lipgloss.NewStyle().Bold(true).Foreground(red)
	Added   = lipgloss.NewStyle().Foreground(green)
	Removed = lipgloss.NewStyle().Foreground(red)
	Hunk    = lipgloss.NewStyle().Foreground(cyan)
	Hit     = lipgloss.NewStyle().Reverse(true)
)

// ships are told apart by colour; their names are always written as well. Red and
// gray are left out because they mean something.
var ships = []color.Color{
	cyan, magenta, yellow, green, blue,
	lipgloss.BrightCyan, lipgloss.BrightMagenta, lipgloss.BrightGreen,
}

// Ship is the style of a ship's name: the same for a name wherever and whenever
// it is shown.
func Ship(name string) lipgloss.Style {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return lipgloss.NewStyle().Foreground(ships[h.Sum32()%uint32(len(ships))])
}
