// Package taskpane is the dashboard's pane [2] Tasks: what is done, what is under way, what waits
// and for what, as a list, a tree or a graph.
package taskpane

import (
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/dash/taskgraph"
	"ocaptain/ui/words"
)

// Pane shows the tasks of a voyage. It belongs to the goroutine that draws.
type Pane struct {
	standing.Tasks
	unfocus bool

	active []int32 // tasks under way, by ship
	queue  []fleet.Queued

	mode   Mode
	filter filter
	rows   []int32 // the shown tasks, in order
	tree   tree
	graph  *taskgraph.Graph // nil until the mode is Graph

	selected int32 // index in tasks, -1 for none
	chosen   bool  // the captain selected it
	cursor   int   // its index in rows
	window   window
	pens     pens // of the frame being drawn
	why      *why // shown instead of the tasks unless nil

	sizes map[string]*changes.Size // of tasks' changes, by commit; nil for a size that cannot be counted
}

// window holds the layout last drawn, for clicks.
type window struct {
	width, height int // of the body
	top, rows     int // of the tasks in the body
	first         int // the first drawn row of tasks
	left, up      int // the drawn corner of the graph
	loose         bool
	below         []int32 // tasks in the rows at the foot, -1 for a row without a task
}

// New returns a pane without a board.
func New() *Pane {
	return &Pane{Tasks: standing.Tasks{Needs: &attention.Needs{}}, selected: -1, sizes: map[string]*changes.Size{}}
}

// SetBoard shows a board. The caller must not change the board afterwards.
func (p *Pane) SetBoard(board *fleet.Board, now time.Time) {
	if board == nil || board == p.Board {
		p.SetNow(now)
		return
	}
	if p.Board == nil && board.Voyage.Kind.TakesEpics() {
		p.mode = Tree // shows parts below epics
	}
	id := p.selectedID()
	if p.Tasks.SetBoard(board, now) {
		p.graph = nil
		p.filter.forget()
		p.selected = -1
		if i, ok := p.Place(id); ok && id != "" {
			p.selected = i
		}
	}
	p.active = underWay(p.All, p.active[:0])
	p.queue = board.MergeQueue()
	p.arrange()
	p.askWhy()
}

// SetNeeds sets which tasks and ships need the captain.
func (p *Pane) SetNeeds(needs *attention.Needs) {
	p.Tasks.SetNeeds(needs)
	p.askWhy()
}

// SetNow sets the current time, for ages and for tasks that wait for a time.
func (p *Pane) SetNow(now time.Time) {
	if p.Tasks.SetNow(now) {
		p.arrange()
		p.askWhy()
	}
}

// SetFocused sets whether keys go to this pane.
func (p *Pane) SetFocused(on bool) { p.unfocus = !on }

// Name returns what the pane lists.
func (p *Pane) Name() string {
	if p.IsPool() {
		return "Dispatches"
	}
	return "Tasks"
}

// Title returns the name of the pane.
func (p *Pane) Title() string {
	if p.why != nil {
		return "Tasks · why " + words.FitWidth(pane.Line(p.why.id), 24)
	}
	return p.Name()
}

// Info counts the tasks that are pending, working, in review, done and on hold, and lists the filters. The counts are in words if there
// is room beside the title.
func (p *Pane) Info() string {
	if p.Board == nil {
		return ""
	}
	short, full := words.Tasks, words.TasksInFull
	if p.IsPool() {
		short, full = words.Dispatches, words.DispatchesInFull
	}
	const edge = 10 // cells of the edge, the pane's number and spaces
	if info := p.info(full); edge+pane.Width(p.Title())+pane.Width(info) <= p.window.width {
		return info
	}
	return p.info(short)
}

// info returns the text of Info with the counts that count returns.
func (p *Pane) info(count func(fleet.Tally) string) string {
	parts := []string{count(p.Tally)}
	if n := p.Tally[fleet.TaskBlocked]; n > 0 && p.window.width >= 50 && !p.IsPool() {
		parts = append(parts, fmt.Sprintf("%d blocked", n))
	}
	if p.filter.on() {
		parts = append(parts, p.filter.words(), fmt.Sprintf("%d shown", len(p.rows)))
	}
	if p.mode != List {
		parts = append(parts, p.mode.String())
	}
	if age := p.stale(); age > 0 {
		parts = append(parts, "as of "+words.Age(age)+" ago")
	}
	return strings.Join(parts, " · ")
}

// staleAfter is the age at which a board is stale: helm writes one every ten seconds.
const staleAfter = 45 * time.Second

// stale returns the age of a stale board, else 0.
func (p *Pane) stale() time.Duration {
	if p.Board == nil || p.Board.At.IsZero() || p.Board.Phase == fleet.Sunk || len(p.Board.Ships) == 0 {
		return 0
	}
	if age := p.Now.Sub(p.Board.At); age > staleAfter {
		return age
	}
	return 0
}
