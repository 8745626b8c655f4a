// Package tasksheet shows one task in full: what it is, why it waits, what happened to it
// and what it changed.
package tasksheet

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/theme"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/keys"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/patchview"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/dash/taskstory"
)

// Detail shows one task in full: what it is, why it is not ready, what happened to it and
// what it changed. It belongs to the goroutine that draws and follows the board of its pane.
type Detail struct {
	tasks *standing.Tasks
	id    string
	read  bool                  // Reload was called
	data  *taskstory.DetailData // nil until it is loaded
	body  *patchview.PatchBody

	head  []string // all rows before those of the patch
	drawn struct {
		width, version int
		now            time.Time
		data           *taskstory.DetailData
		theme          theme.Name
	}
	first, left, height int
}

// New returns the detail of a task, which waits for what LoadDetail reads.
func New(p *standing.Tasks, id string) *Detail {
	return &Detail{tasks: p, id: id, body: &patchview.PatchBody{}}
}

// Scope returns where its keys act.
func (d *Detail) Scope() keys.Scope { return keys.InDetail }

// Reload reads the parts of the task that are on disk, once, and shows them.
func (d *Detail) Reload(ctx context.Context, dir fleet.Dir, _ *fleet.Board, _ time.Time) tea.Cmd {
	if d.read {
		return nil
	}
	d.read = true
	return func() tea.Msg {
		data := taskstory.LoadDetail(ctx, dir, d.id)
		return act.Then(func() tea.Cmd {
			d.SetData(data)
			return nil
		})
	}
}

// SetData shows loaded data. It ignores data of another task.
func (d *Detail) SetData(data taskstory.DetailData) {
	if data.ID != d.id {
		return
	}
	d.data = &data
	d.body = patchview.NewPatchBody(data.Patch)
}

// ID returns the id of the task.
func (d *Detail) ID() string { return d.id }

// Title says which task it is.
func (d *Detail) Title() string {
	if d.tasks.IsPool() {
		return "Dispatch " + pane.Line(d.id)
	}
	return "Task " + pane.Line(d.id)
}

// Info returns the state of the task and how much it changed.
func (d *Detail) Info() string {
	i, ok := d.tasks.Place(d.id)
	if !ok {
		return ""
	}
	look := d.tasks.Look(i)
	info := look.Glyph + " " + look.Word
	if d.data != nil && !d.data.Patch.IsEmpty() {
		info += " · " + d.body.Sum()
	}
	return info
}

// View draws the body as exactly height rows of exactly width cells.
func (d *Detail) View(width, height int) []string {
	d.height = height
	i, ok := d.tasks.Place(d.id)
	switch {
	case d.tasks.Board == nil:
		return pane.Notice(width, height, theme.Going.Style.Render("◌ reading the voyage"), "", "")
	case !ok:
		return pane.Notice(width, height, "✗ task "+pane.Line(d.id)+" is no longer on the board", "", "")
	}
	d.compose(i, width)
	d.first = max(0, min(d.first, d.len()-height))
	rows := make([]string, 0, max(0, height))
	for n := d.first; n < d.first+height && n < d.len(); n++ {
		if n < len(d.head) {
			rows = append(rows, d.head[n])
		} else {
			rows = append(rows, d.body.Row(n-len(d.head), width, d.left))
		}
	}
	return pane.FitRows(rows, width, height)
}

// len returns the number of rows.
func (d *Detail) len() int { return len(d.head) + d.body.Len() }

// compose makes the rows before the patch, unless nothing of them has changed.
func (d *Detail) compose(i int32, width int) {
	w, now := &d.drawn, theme.Active()
	if d.head != nil && w.width == width && w.version == d.tasks.Version && w.now.Equal(d.tasks.Now) && w.data == d.data && w.theme == now {
		return
	}
	w.width, w.version, w.now, w.data, w.theme = width, d.tasks.Version, d.tasks.Now, d.data, now
	s := sheet{p: d.tasks, i: i, width: width}
	s.write(d.data)
	d.head = s.rows
}

// ScrollBy moves the window n rows down, or up.
func (d *Detail) ScrollBy(n int) { d.first = max(0, d.first+n) }

// Wheel is ScrollBy.
func (d *Detail) Wheel(n int) { d.ScrollBy(n) }

// PageBy moves the window n pages down, or up.
func (d *Detail) PageBy(n int) { d.ScrollBy(n * max(1, d.height-2)) }

// ScrollAcross moves the patch n cells to the right, or left.
func (d *Detail) ScrollAcross(n int) { d.left = max(0, min(d.left+n, patchview.WidestPatch)) }

// Top goes to the first row.
func (d *Detail) Top() { d.first = 0 }

// Bottom goes to the last row.
func (d *Detail) Bottom() { d.first = max(0, d.len()-d.height) }

// CountFiles returns the number of files in the patch.
func (d *Detail) CountFiles() int { return len(d.body.Heads) }

// NextFile goes n files of the patch down, or up for a negative n. The patch must have a file.
func (d *Detail) NextFile(n int) {
	at := d.body.Next(d.first-len(d.head), n)
	if n < 0 && d.first <= len(d.head) {
		return
	}
	d.first = len(d.head) + at
}

// Click does nothing: there is nothing to choose.
func (d *Detail) Click(_, _ int) {}
