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
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/connection"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// Header is the content of the row.
type Header struct {
	ID    string       // id of the voyage
	Board *fleet.Board // nil while there is none, and without tasks until it is loaded
	Now   time.Time
	Stale bool // no more news comes
	Helm  connection.State
	Needs *attention.Needs
	// Told says that the needs are shown below. Otherwise the reason of the first need replaces less important parts.
	Told bool
}

// part is a part of the header. The least important parts are left out when there is no room.
type part struct {
	text   string
	weight int
	short  string // in place of text when there is little room; "" for the same
}

// Title returns the title of a voyage: for a pool that and its repository, otherwise its plan's name, or its
// objective.
func Title(v *fleet.Voyage, id string) string {
	if pool := v.PoolName(); pool != "" {
		return "pool " + pool
	}
	return words.FirstLine(cmp.Or(v.Name, v.Prompt, v.ID, id))
}

// View draws the row: the captain's place on the left, the state of things on the right.
func (h *Header) View(width int) string {
	name := theme.Accent.Render("ocaptain")
	if h.ID == "" {
		return pane.Fit(" "+name, width)
	}
	b := h.Board
	left := []part{{text: name, weight: 5}}
	var right []part
	if b != nil {
		left = append(left,
			part{text: theme.BoardState(b).String(), weight: 9},
			part{text: theme.Title.Render(ansi.Truncate(clean.Line(Title(&b.Voyage, h.ID)), 40, "…")), weight: 8},
			part{text: theme.Dim.Render(branch(b)), weight: 1},
		)
		right = append(right,
			part{text: h.needy(0), weight: heaviest},
			part{text: theme.Bar.Render(agentpane.Counts(b.Ships)), weight: 3},
			h.tasks(),
			part{text: dim(words.Dollars(b.Usage.CostUSD)), weight: 5},
			part{text: h.bill(), weight: 3},
			part{text: dim(words.Tokens(b.Usage.Tokens)), weight: 2},
			part{text: theme.Dim.Render("up " + h.uptime()), weight: 4},
			part{text: h.sync(), weight: 2},
			part{text: h.health(), weight: 6},
		)
	} else {
		left = append(left, part{text: theme.Dim.Render(h.ID), weight: 8})
		right = append(right, part{text: h.health(), weight: 6})
	}
	return pane.Fit(h.spread(left, right, width-2), width)
}

// The needs are shown whatever room there is; when they are not shown below, other parts make room for that much of the
// first reason.
const (
	heaviest    = 10
	leastReason = 12
	maxReason   = 32
)

// needy says how many needs there are, and as much of the first as fits in room cells.
func (h *Header) needy(room int) string {
	if h.Needs == nil || len(h.Needs.All) == 0 {
		return ""
	}
	text := words.Needs(len(h.Needs.All))
	if room >= leastReason {
		text += ": " + words.FitWidth(h.reason(), room-2)
	}
	return theme.Needs.Render("▲ " + text)
}

// reason returns the text of the first need.
func (h *Header) reason() string {
	if h.Needs == nil || len(h.Needs.All) == 0 {
		return ""
	}
	return attention.Text(&h.Needs.All[0])
}

// tasks counts the tasks, or the dispatches. A task on hold is not pending: no ship gets it. The counts are in words unless the
// reason of a need takes the room.
func (h *Header) tasks() part {
	var n fleet.Tally
	b := h.Board
	for i := range b.Tasks {
		n[fleet.Stand(&b.Tasks[i], false, h.Now)]++ // what the task waits for does not matter here
	}
	full, short := "tasks "+words.TasksInFull(n), "tasks "+words.Tasks(n)
	if b.Voyage.PoolName() != "" {
		full, short = "dispatches "+words.DispatchesInFull(n), "dispatches "+words.Dispatches(n)
	}
	if h.reason() != "" {
		full = short
	}
	return part{text: theme.Bar.Render(full), weight: 7, short: theme.Bar.Render(short)}
}

// bill returns what the ships have cost so far, at the captain's prices.
func (h *Header) bill() string {
	b := h.Board.Bill
	if b == (fleet.Bill{}) {
		return ""
	}
	return theme.Dim.Render(fmt.Sprintf("ships $%.2f", b.SoFar))
}

// dim renders a less important part, and nothing for "".
func dim(text string) string {
	if text == "" {
		return ""
	}
	return theme.Dim.Render(text)
}

// branch names the branch and its repository; for a pool, whose dispatches have branches of their own, only the
// repository.
func branch(b *fleet.Board) string {
	if b.Voyage.PoolName() != "" {
		return clean.Line(b.Voyage.Repo)
	}
	text := clean.Line(b.Voyage.Branch)
	if b.Head != "" {
		text += " at " + clean.Line(words.ShortCommit(b.Head))
	}
	return text
}

// uptime returns how long the voyage has been sailing or, once it is over, how long it sailed.
func (h *Header) uptime() string {
	b := h.Board
	end := h.Now
	if b.Phase.IsOver() && !b.Since.IsZero() {
		end = b.Since
	}
	return words.Age(end.Sub(b.Voyage.CreatedAt))
}

// health returns the state of helm, and how old the screen is when no news comes.
func (h *Header) health() string {
	b := h.Board
	switch {
	case h.Stale && b != nil:
		return theme.Bad.Render("◔ as of " + words.Since(h.Now, b.At))
	case h.Helm.Up():
		return theme.Good.Render("● helm")
	case !h.Helm.Known():
		return theme.Dim.Render("◌ helm")
	case errors.Is(h.Helm.Err, connection.ErrIdle):
		return theme.Dim.Render("○ helm rests")
	case errors.Is(h.Helm.Err, connection.ErrStopped):
		return theme.Bad.Render("○ helm is stopped")
	}
	return theme.Bad.Render("✗ helm is down")
}

// sync says whether the work of all ships reaches the hub: the work of ships that cannot be reached does not.
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
		return theme.Bad.Render(fmt.Sprintf("⊘ sync: %d of %d cut off", cut, afloat))
	}
	if h.Board.Voyage.Sync == fleet.SyncLive {
		return h.liveSync()
	}
	return theme.Good.Render("● sync")
}

// liveSync returns the state of the shared tree: which ships are out of step, if any.
func (h *Header) liveSync() string {
	for i := range h.Board.Ships {
		s := &h.Board.Ships[i]
		if s.Phase != fleet.Afloat || s.Tree.State == "" {
			continue
		}
		name, clash, stuck := clean.Word(s.Name), s.Tree.CountConflicts(), s.Tree.CountProblems()
		switch {
		case s.Tree.State == fleet.TreeEmptied || s.Tree.State == fleet.TreeAway || s.Tree.State == fleet.TreePaused:
			return theme.Bad.Render(fmt.Sprintf("⊘ sync: %s %s", name, s.Tree.State))
		case clash > 0:
			return theme.Needs.Render(fmt.Sprintf("▲ sync: %s, %d clash", name, clash))
		case stuck > 0:
			return theme.Needs.Render(fmt.Sprintf("▲ sync: %s, %d stuck", name, stuck))
		case s.Tree.State == fleet.TreeMoving:
			return theme.Bar.Render(fmt.Sprintf("↻ sync: %s", name))
		}
	}
	return theme.Good.Render("● sync live")
}

// leastWords is the least weight of parts that are more important than words in place of abbreviations.
const leastWords = 2

// spread puts parts on both sides of a row; it shortens parts and drops the least important until the rest fits, and fills the
// remaining room with the first need.
func (h *Header) spread(left, right []part, width int) string {
	want := 0
	if reason := h.reason(); reason != "" && !h.Told {
		want = 2 + min(maxReason, ansi.StringWidth(reason))
	}
	for {
		l, r := join(left), join(right)
		room := width - ansi.StringWidth(l) - ansi.StringWidth(r)
		if room >= want+2 || len(left)+len(right) <= 2 {
			if len(right) > 0 && right[0].weight == heaviest {
				right[0].text = h.needy(room - 2)
				r = join(right)
			}
			return " " + l + strings.Repeat(" ", max(1, width-ansi.StringWidth(l)-ansi.StringWidth(r))) + r
		}
		least := slices.MinFunc(append(slices.Clone(left), right...), func(a, b part) int { return a.weight - b.weight })
		if i := slices.IndexFunc(right, func(p part) bool { return p.short != "" }); i >= 0 && least.weight >= leastWords {
			right[i].text, right[i].short = right[i].short, ""
			continue
		}
		gone := func(p part) bool { return p == least }
		left, right = slices.DeleteFunc(left, gone), slices.DeleteFunc(right, gone)
	}
}

// join writes parts beside each other.
func join(parts []part) string {
	var texts []string
	for _, p := range parts {
		if p.text != "" {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, theme.Dim.Render(" · "))
}
