package screen

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/keys"
)

// List is a pane with selectable rows: agents, tasks or logs.
type List interface {
	dialog.Filtered
	Title() string
	Info() string
	View(width, height int) []string
	SetFocused(on bool)

	MoveBy(n int)
	MoveAcross(n int) // scrolls rows that are wider than the pane
	PageBy(n int)
	Top()
	Bottom()
	NextHit(n int)
	Click(x, y int)
	Wheel(n int) // n in rows

	ClearFilters() (had bool) // shows all rows
}

// Page fills the screen and scrolls as a whole: a task's detail, a diff.
type Page interface {
	Scope() keys.Scope
	Reload(ctx context.Context, d fleet.Dir, b *fleet.Board, now time.Time) tea.Cmd // reads its data, when that may have changed
	Title() string
	Info() string
	View(width, height int) []string
	ScrollBy(n int)
	Top()
	Bottom()
}

// Filed is a page with files.
type Filed interface {
	CountFiles() int
	NextFile(n int)
}
