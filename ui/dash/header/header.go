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

// Header is what the row tells of.
type Header struct {
	ID    string       // of the voyage
	Board *fleet.Board // nil while there is none, and without tasks until it is loaded
	Now   time.Time
	Stale bool // no news comes
	Helm  connection.State
	Needs *attention.Needs
	// Told says that the needs stand below. Elsewhere the reason of the first is worth more than what matters less.
	Told bool
}

// part is a piece of the header. Those that matter least go first when there is no room.
type part struct {
	text   string
	weight int
}

// Title is what a voyage is called: that it is a pool and whose, its plan's name, or its objective.
func Title(v *fleet.Voyage, id string) string {
	if pool := v.PoolName(); pool != "" {
		return "pool " + pool
	}
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
		left = append(left,
			part{theme.BoardState(b).String(), 9},
			part{theme.Title.Render(ansi.Truncate(clean.Line(Title(&b.Voyage, h.ID)), 40, "…")), 8},
			part{theme.Dim.Render(branch(b)), 1},
		)
		right = append(right,
			part{h.needy(0), heaviest},
			part{theme.Bar.Render(agentpane.Counts(b.Ships)), 3},
			part{theme.Bar.Render(countTasks(b, h.Now, width >= wide && h.reason() == "")), 7},
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
	return pane.Fit(h.spread(left, right, width-2), width)
}

// The needs are what stays whatever room there is; where they do not stand below, other parts make room for that much of
// the first reason.
const (
	heaviest    = 10
	leastReason = 12
	maxReason   = 32
)

// needy says how many needs there are, and of the first what that many cells have room for.
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

// reason is the first need.
func (h *Header) reason() string {
	if h.Needs == nil || len(h.Needs.All) == 0 {
		return ""
	}
	return attention.Text(&h.Needs.All[0])
}

// wide is how many columns have room for counts in words, unless something needs the captain.
const wide = 180

// countTasks counts the tasks, or what was dispatched. A task on hold is not pending: no ship gets it.
func countTasks(b *fleet.Board, now time.Time, inFull bool) string {
	var n fleet.Tally
	for i := range b.Tasks {
		n[fleet.Stand(&b.Tasks[i], false, now)]++ // what it waits for does not matter here
	}
	if b.Voyage.PoolName() != "" {
		return "dispatches " + words.Dispatches(n)
	}
	if inFull {
		return "tasks " + words.TasksInFull(n)
	}
	return "tasks " + words.Tasks(n)
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

// branch names the branch and where it is; of a pool, whose work has a branch for each dispatch, the repository.
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

// uptime is how long the voyage sails, or sailed.
func (h *Header) uptime() string {
	b := h.Board
	end := h.Now
	if b.Phase.IsOver() && !b.Since.IsZero() {
		end = b.Since
	}
	return words.Age(end.Sub(b.Voyage.CreatedAt))
}

// health says how helm is, and how old the screen is when no news comes.
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

// sync says whether the work of all ships comes home: ships that cannot be reached keep
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
		return theme.Bad.Render(fmt.Sprintf("⊘ sync: %d of %d cut off", cut, afloat))
	}
	if h.Board.Voyage.Sync == fleet.SyncLive {
		return h.liveSync()
	}
	return theme.Good.Render("● sync")
}

// liveSync is how the tree is that hub and ships share: who is out of step, if anybody is.
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

// spread joins parts on both sides of a row; the lightest go until the rest fits. What room is left tells of the first
// need.
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
