// Package header is the first row of the dashboard.
package header

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/agentpane"
	"ocaptain/ui/dash/connection"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// Header is what the row tells of.
type Header struct {
	ID    string       // of the voyage
	Board *fleet.Board // nil while there is none, and without tasks until it is loaded
	Now   time.Time
	Stale bool // nobody brings news
	Helm  connection.State
}

// part is a piece of the header. Those that matter least go first when there is no room.
type part struct {
	text   string
	weight int
}

// Title is what a voyage is called: its plan's name, or its objective.
func Title(v *fleet.Voyage, id string) string {
	return words.FirstLine(cmp.Or(v.Name, v.Prompt, v.ID, id))
}

// View is the row: where the captain is on the left, how things are on the right.
func (h *Header) View(width int) string {
	name := theme.Accent.Render("ocaptain")
	if h.ID == "" {
		return pane.Fit(" "+name, width)
	}
	b := h.Board
	left := []part{{name, 5}}
	var right []part
	if b != nil {
		p, w, d := b.CountTasks()
		left = append(left,
			part{theme.PhaseState(b.Phase).String(), 9},
			part{theme.Title.Render(ansi.Truncate(clean.Line(Title(&b.Voyage, h.ID)), 40, "…")), 8},
			part{theme.Dim.Render(branch(b)), 1},
		)
		right = append(right,
			part{h.needy(), 10},
			part{theme.Bar.Render(agentpane.Counts(b.Ships)), 3},
			part{theme.Bar.Render(fmt.Sprintf("tasks %dP %dW %dD", p, w, d)), 7},
			part{dim(words.Dollars(b.Usage.CostUSD)), 5},
			part{h.bill(), 3},
			part{dim(words.Tokens(b.Usage.Tokens)), 2},
			part{theme.Dim.Render("up " + h.uptime()), 4},
			part{h.sync(), 2},
			part{h.health(), 6},
		)
	} else {
		left = append(left, part{theme.Dim.Render(h.ID), 8})
		right = append(right, part{h.health(), 6})
	}
	return pane.Fit(spread(left, right, width-2), width)
}

// bill is what the ships have cost so far by the captain's own prices.
func (h *Header) bill() string {
	b := h.Board.Bill
	if b == (fleet.Bill{}) {
		return ""
	}
	return theme.Dim.Render(fmt.Sprintf("ships $%.2f", b.SoFar))
}

// dim renders a part that stands back, and nothing when there is nothing to say.
func dim(text string) string {
	if text == "" {
		return ""
	}
	return theme.Dim.Render(text)
}

// branch names the branch and where it is.
func branch(b *fleet.Board) string {
	text := clean.Line(b.Voyage.Branch)
	if b.Head != "" {
		text += " at " + clean.Line(words.ShortCommit(b.Head))
	}
	return text
}

// uptime is how long the voyage sails, or sailed.
func (h *Header) uptime() string {
	b := h.Board
	end := h.Now
	if b.Phase.IsOver() && !b.Since.IsZero() {
		end = b.Since
	}
	return words.Age(end.Sub(b.Voyage.CreatedAt))
}

// needy says how many ships need the captain.
func (h *Header) needy() string {
	text := agentpane.CountNeeds(h.Board.Ships)
	if text == "" {
		return ""
	}
	return theme.Waiting.Render("! " + text)
}

// health says how helm is, and, when nobody brings news, how old the screen is.
func (h *Header) health() string {
	b := h.Board
	switch {
	case h.Stale && b != nil:
		return theme.Waiting.Render("◔ as of " + words.Since(h.Now, b.At))
	case h.Helm.Up() && b != nil && len(b.Problems) > 0:
		return theme.Waiting.Render("▲ " + words.Counted(len(b.Problems), "problem"))
	case h.Helm.Up():
		return theme.Good.Render("● helm")
	case !h.Helm.Known():
		return theme.Dim.Render("◌ helm")
	case errors.Is(h.Helm.Err, connection.ErrIdle):
		return theme.Dim.Render("○ helm rests")
	case errors.Is(h.Helm.Err, connection.ErrStopped):
		return theme.Waiting.Render("○ helm is stopped")
	}
	return theme.Bad.Render("✗ helm is down")
}

// sync says whether the work of all ships comes home: those that cannot be reached keep
// theirs for themselves.
func (h *Header) sync() string {
	afloat, cut := 0, 0
	for i := range h.Board.Ships {
		if s := &h.Board.Ships[i]; s.Phase == fleet.Afloat {
			afloat++
			if s.Status.Word == fleet.Unreachable || s.Status.Word == fleet.Unknown {
				cut++
			}
		}
	}
	switch {
	case afloat == 0 || !h.Helm.Up() || h.Stale:
		return ""
	case cut > 0:
		return theme.Waiting.Render(fmt.Sprintf("⊘ sync: %d of %d cut off", cut, afloat))
	}
	return theme.Good.Render("● sync")
}

// spread joins parts on both sides of a row; the lightest go until the rest fits.
func spread(left, right []part, width int) string {
	const gap = " · "
	join := func(parts []part) string {
		var texts []string
		for _, p := range parts {
			if p.text != "" {
				texts = append(texts, p.text)
			}
		}
		return strings.Join(texts, theme.Dim.Render(gap))
	}
	for {
		l, r := join(left), join(right)
		room := width - ansi.StringWidth(l) - ansi.StringWidth(r)
		if room >= 2 || len(left)+len(right) <= 1 {
			return " " + l + strings.Repeat(" ", max(1, room)) + r
		}
		least := slices.MinFunc(append(slices.Clone(left), right...), func(a, b part) int { return a.weight - b.weight })
		gone := func(p part) bool { return p == least }
		left, right = slices.DeleteFunc(left, gone), slices.DeleteFunc(right, gone)
	}
}
