package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"ocaptain/ui/words"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
)

// reporter shows the progress of a long operation. On a terminal each ship has a line that changes; elsewhere every
// finished step is a line of its own.
type reporter struct {
	out   io.Writer
	live  bool
	width int

	mu    sync.Mutex
	ships []string          // in the order of their first news
	line  map[string]string // by ship
	drawn int               // lines on the screen that may be overwritten
}

func (b *bridge) reporter() *reporter {
	return &reporter{out: b.err, live: b.screen && theme.IsTerminal(b.raw), width: b.width, line: map[string]string{}}
}

// report shows one piece of news. It is a callback for helm's client.
func (r *reporter) report(p api.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, lasting := progressLine(p)
	if text == "" {
		return
	}
	if !r.live {
		if lasting {
			fmt.Fprintln(r.out, text)
		}
		return
	}
	r.eraseLines()
	if p.Ship == "" || p.State == api.StepNote || p.State == "" {
		fmt.Fprintln(r.out, words.FitWidth(text, r.width))
	} else {
		if !slices.Contains(r.ships, p.Ship) {
			r.ships = append(r.ships, p.Ship)
		}
		r.line[p.Ship] = text
	}
	for _, ship := range r.ships {
		fmt.Fprintln(r.out, words.FitWidth(r.line[ship], r.width))
		r.drawn++
	}
}

// eraseLines removes the changing lines.
func (r *reporter) eraseLines() {
	if r.drawn > 0 {
		fmt.Fprintf(r.out, "\x1b[%dA\x1b[J", r.drawn)
		r.drawn = 0
	}
}

// progressLine returns the news as a line, and whether the line should stay.
func progressLine(p api.Progress) (text string, lasting bool) {
	who := ""
	if p.Ship != "" {
		who = theme.ShipStyle(p.Ship).Render(fmt.Sprintf("%-8s", clean.Line(p.Ship))) + " "
	}
	step, said := clean.Line(p.Step), clean.Line(words.FirstLine(p.Text))
	if said != "" {
		said = ": " + said
	}
	switch p.State {
	case api.StepStarted:
		return theme.Going.Style.Render(theme.Going.Glyph) + " " + who + step + said, p.Ship == ""
	case api.StepDone:
		line := theme.Yes.Style.Render(theme.Yes.Glyph) + " " + who + step + said
		if p.Took >= 100*time.Millisecond {
			line += theme.Dim.Render(" " + words.Duration(p.Took))
		}
		return line, true
	case api.StepFailed:
		return theme.No.Style.Render(theme.No.Glyph) + " " + who + step + " failed" + said, true
	}
	text = strings.TrimPrefix(said, ": ")
	if step != "" {
		text = step + said
	}
	if text == "" {
		return "", false
	}
	return "  " + who + text, true
}
