package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// palette holds the colours of a theme; nil means the terminal's own colour.
type palette struct {
	text, dim, border, accent color.Color
	working, needs, good, bad color.Color
	selected, selectedElse    color.Color // backgrounds; nil for reverse video
	hit, onHit                color.Color
	ground                    color.Color // the background that the theme is made for
	heavy                     bool        // draw a heavy frame around the focused pane, as the colours do not show the focus
	ships                     []color.Color
}

func hexColors(all ...string) []color.Color {
	out := make([]color.Color, len(all))
	for i, s := range all {
		out[i] = lipgloss.Color(s)
	}
	return out
}

// The grey backgrounds of dark and light are chosen so that terminals of 256 colours show grey, and not blue.
//
// The text colours of dark and light have a contrast of at least 4.5 to 1 on black or white, as WCAG 2.2 measures it; a
// test checks this.
var palettes = map[Name]palette{
	Terminal: {
		dim: lipgloss.BrightBlack, border: lipgloss.BrightBlack, accent: lipgloss.Blue,
		working: lipgloss.Cyan, needs: lipgloss.Yellow, good: lipgloss.Green, bad: lipgloss.Red,
		ships: []color.Color{
			lipgloss.Cyan, lipgloss.Magenta, lipgloss.Green, lipgloss.Blue,
			lipgloss.BrightCyan, lipgloss.BrightMagenta, lipgloss.BrightGreen,
		},
	},
	Dark: {
		ground: lipgloss.Color("#12141a"),
		text:   lipgloss.Color("#d8dee9"), dim: lipgloss.Color("#8b95a7"), border: lipgloss.Color("#4a5568"), accent: lipgloss.Color("#5eb1ef"),
		working: lipgloss.Color("#4fd6be"), needs: lipgloss.Color("#ffc857"), good: lipgloss.Color("#86d98a"), bad: lipgloss.Color("#ff7b86"),
		selected: lipgloss.Color("#2b4263"), selectedElse: lipgloss.Color("#303338"),
		hit: lipgloss.Color("#5eb1ef"), onHit: lipgloss.Color("#1a1d24"),
		ships: hexColors("#7cc7ff", "#d3a4ff", "#9be28f", "#ff9ec4", "#6fe0d6", "#a9b4ff", "#f2b8a0", "#8fd0a8"),
	},
	Light: {
		ground: lipgloss.Color("#ffffff"),
		text:   lipgloss.Color("#20262e"), dim: lipgloss.Color("#5b6675"), border: lipgloss.Color("#b3bcc8"), accent: lipgloss.Color("#0b62b8"),
		working: lipgloss.Color("#00695f"), needs: lipgloss.Color("#8a5300"), good: lipgloss.Color("#1d6b2a"), bad: lipgloss.Color("#b3172c"),
		selected: lipgloss.Color("#cfe3fa"), selectedElse: lipgloss.Color("#e6e8ea"),
		hit: lipgloss.Color("#a9d4ff"), onHit: lipgloss.Color("#20262e"),
		ships: hexColors("#0b62b8", "#7a2fb5", "#1d6b2a", "#a81f63", "#00695f", "#3f48b8", "#8c3b22", "#2b6650"),
	},
	Contrast: {
		text: lipgloss.BrightWhite, dim: lipgloss.White, border: lipgloss.White, accent: lipgloss.BrightMagenta,
		working: lipgloss.BrightCyan, needs: lipgloss.BrightYellow, good: lipgloss.BrightGreen, bad: lipgloss.BrightRed,
		ships: []color.Color{lipgloss.BrightCyan, lipgloss.BrightGreen, lipgloss.BrightWhite},
		heavy: true,
	},
	Mono: {heavy: true},
}
