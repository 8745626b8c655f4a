package main

import (
	"encoding/xml"
	"fmt"
	"strings"

	"ocaptain/ui/term"
	"ocaptain/ui/term/sgr"
)

// The measures of a picture, in pixels.
const (
	cellWidth, cellHeight = 8, 17
	fontSize              = 13
	margin                = 10
)

// The colours that a terminal has by itself.
const ink, ground = "#d6d9e0", "#12141a"

// basic are the sixteen colours of terminals.
var basic = [16]string{
	"#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
	"#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff",
}

// draw writes a screen as an SVG: a rectangle for each run of cells with a background, and a text for each run of cells of one style.
func draw(s *term.Screen) string {
	var b strings.Builder
	w, h := cols*cellWidth+2*margin, rows*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n", w, h)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", w, h, ground)
	fmt.Fprintf(&b, `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="%d" xml:space="preserve">`+"\n", fontSize)
	for y := range rows {
		for x := 0; x < cols; {
			run := runAt(s, x, y)
			run.draw(&b, x, y)
			x += run.cells
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// run is cells of one style beside each other.
type run struct {
	style sgr.Style
	text  string
	cells int
}

func runAt(s *term.Screen, x, y int) run {
	r := run{style: s.CellAt(x, y).Style}
	for ; x < cols && s.CellAt(x, y).Style == r.style; x++ {
		c := s.CellAt(x, y)
		r.cells++
		switch {
		case c.Text != "":
			r.text += c.Text
		case c.Width > 0:
			r.text += " "
		}
	}
	return r
}

func (r run) draw(b *strings.Builder, x, y int) {
	fg, bg := colour(r.style.Fg, ink), colour(r.style.Bg, "")
	if r.style.Attrs&sgr.Reverse != 0 {
		fg, bg = orColour(bg, ground), fg
	}
	left, top := margin+x*cellWidth, margin+y*cellHeight
	if bg != "" {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", left, top, r.cells*cellWidth, cellHeight, bg)
	}
	text := strings.TrimRight(r.text, " ")
	if text == "" {
		return
	}
	more := ""
	if r.style.Attrs&sgr.Bold != 0 {
		more = ` font-weight="bold"`
	}
	cells := r.cells - (len(r.text) - len(text))
	fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s" textLength="%d" lengthAdjust="spacingAndGlyphs"%s>`, left, top+fontSize, fg, cells*cellWidth, more)
	_ = xml.EscapeText(b, []byte(text))
	b.WriteString("</text>\n")
}

func orColour(is, other string) string {
	if is == "" {
		return other
	}
	return is
}

// colour is a colour as SVG has it, or the other one where the cell has the terminal's own.
func colour(c sgr.Color, own string) string {
	switch c.Kind() {
	case sgr.DefaultColor:
		return own
	case sgr.BasicColor:
		return basic[c.Index()%16]
	case sgr.IndexedColor:
		return indexed(int(c.Index()))
	}
	r, g, b := c.RGB()
	return fmt.Sprintf("#%02x%02x%02x", r, g, b)
}

// indexed is one of the 256 colours of xterm.
func indexed(i int) string {
	if i < 16 {
		return basic[i]
	}
	if i >= 232 {
		v := 8 + (i-232)*10
		return fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	level := func(n int) int {
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	i -= 16
	return fmt.Sprintf("#%02x%02x%02x", level(i/36), level(i/6%6), level(i%6))
}
