package taskpane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/words"
)

// underWay lists the tasks that ships work on, by ship, without those of the coordinator.
func underWay(all []tasks.State, into []int32) []int32 {
	for i := range all {
		if all[i].Status == tasks.InProgress && all[i].Owner != fleet.Coordinator {
			into = append(into, int32(i))
		}
	}
	slices.SortStableFunc(into, func(a, b int32) int {
		return compareShips(all[a].Owner, all[b].Owner)
	})
	return into
}

// foot draws the rows below the tasks, as far as they fit: who does what, and what waits for its merge.
func (p *Pane) foot(width, height int) []string {
	if p.IsPool() { // a pool has a group for each
		return nil
	}
	rows := p.block("Active Work", len(p.active), width, height, func(n int) (int32, string) {
		return p.active[n], p.activeRow(p.active[n], width)
	})
	return append(rows, p.block("Review Queue", len(p.queue), width, height-len(rows), func(n int) (int32, string) {
		return p.Order.Place[p.queue[n].Task], p.queueRow(&p.queue[n], width)
	})...)
}

// block draws a rule, a heading and n rows, in at most a third of the height, and records the tasks of the
// rows.
func (p *Pane) block(title string, n, width, height int, row func(int) (int32, string)) []string {
	room := min(n, height/3-2)
	if room < 1 {
		return nil
	}
	rows := []string{theme.Track.Render(strings.Repeat("─", width)), " " + theme.Title.Render(title)}
	p.window.below = append(p.window.below, -1, -1)
	if room < n {
		room--
	}
	for i := range room {
		task, text := row(i)
		rows, p.window.below = append(rows, text), append(p.window.below, task)
	}
	if more := n - room; more > 0 {
		rows, p.window.below = append(rows, " "+theme.Dim.Render(fmt.Sprintf("+ %d more", more))), append(p.window.below, -1)
	}
	return rows
}

// activeRow says which task a ship works on.
func (p *Pane) activeRow(i int32, width int) string {
	t := &p.All[i]
	name := standing.Subject(t)
	if t.InReview() {
		name = "review: " + name
	}
	owner := words.FitWidth(pane.Line(t.Owner), 20)
	return p.footRow(p.pens.ship(owner).Render("["+owner+"]"), pane.Width(owner)+2, name, standing.Since(" · ", p.Now, t.ClaimedAt), width)
}

// queueRow says where work is on its way to the branch, and since when.
func (p *Pane) queueRow(q *fleet.Queued, width int) string {
	look := theme.Review(q.Step)
	tail := " · " + look.Word
	if who := pane.Line(q.Reviewer); who != "" && width >= 60 {
		tail += map[bool]string{true: ", approved by ", false: " by "}[q.Step == fleet.StepMerging] + words.FitWidth(who, widestOwner)
	}
	id := words.FitWidth(pane.Line(q.Task), widestID)
	return p.footRow(look.Style.Render(look.Glyph)+" "+p.pens.dim.Render(id), pane.Width(id)+2, pane.Line(q.Subject), tail+standing.Since(" · ", p.Now, q.HandedIn), width)
}

// footRow returns a row that shortens its middle. used is the width of head.
func (p *Pane) footRow(head string, used int, name, tail string, width int) string {
	name = words.FitWidth(name, max(1, width-used-pane.Width(tail)-3))
	return " " + head + " " + p.pens.plain.Render(name) + p.pens.dim.Render(tail)
}

// compareShips orders ships by name: ship-9 before ship-10.
func compareShips(a, b string) int {
	return cmp.Or(len(a)-len(b), strings.Compare(a, b))
}
