package attention

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/need"
	"ocaptain/theme"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/words"
)

// Text returns a need in one line, clean to show.
func Text(n *need.Need) string { return clean.Line(n.String()) }

// Head says who needs the captain, and for what.
func Head(n *need.Need) string { return clean.Line(n.Who() + " " + n.Says()) }

// Why returns the reason of a need.
func Why(n *need.Need) string { return clean.Line(n.Why) }

// Lines returns the whole text of a need, in rows of that width.
func Lines(n *need.Need, now time.Time, width int) []string {
	rows := words.Wrap(theme.Needs.Render("▲ "+Head(n)), width)
	rows = append(rows, words.Wrap(theme.Plain.Render(Why(n)), width)...)
	fact := func(name, value string) {
		if value != "" {
			rows = append(rows, words.Wrap(theme.Dim.Render(name+" ")+theme.Plain.Render(clean.Line(value)), width)...)
		}
	}
	rows = append(rows, "")
	if len(n.Ships) > 1 {
		fact("ships", strings.Join(n.Ships, ", "))
	}
	fact("tasks", strings.Join(n.Tasks, ", "))
	fact("what waits for it", strings.Join(n.Waiting, ", "))
	if !n.Since.IsZero() {
		fact("since", n.Since.Local().Format("Jan 2 15:04")+", "+words.Since(now, n.Since))
	}
	fact("what helps:", string(n.Do))
	return append(rows, words.Wrap(theme.Key.Render(clean.Line(n.Command)), width)...)
}

// Whole returns a need with its whole reason, when the board has more than fits in a line.
func Whole(n *need.Need, b *fleet.Board) *need.Need {
	all := *n
	if p := b.Proposal(n.Number); p != nil && n.Kind == fleet.NeedProposal {
		all.Why = p.Text
	}
	return &all
}

// Items returns needs as a list, in which choosing a need helps with it.
func Items(needs []need.Need, b *fleet.Board, now time.Time, help func(id string) tea.Cmd) (items []dialog.Item) {
	for i := range needs {
		n := needs[i]
		items = append(items, dialog.Item{
			Line: Text(&n), Does: string(n.Do),
			Lines: func(width int) []string { return Lines(Whole(&n, b), now, width) },
			Do:    func() tea.Cmd { return help(n.ID()) },
		})
	}
	return items
}

// IsOfTask reports whether the action that helps with a need applies to a task.
func IsOfTask(n *need.Need) bool {
	return n.Task != "" && (n.Do == need.DoRequeue || n.Do == need.DoApprove)
}
