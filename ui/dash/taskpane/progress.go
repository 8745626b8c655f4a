package taskpane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// progress draws how far the tasks are, as a bar and in words. How long the rest takes is
// not said: nobody knows.
func (p *Pane) progress(width int) string {
	n, all := p.tally, p.tally.Total()
	text := fmt.Sprintf("%d of %d done", n.Over(), all)
	if n[fleet.TaskWorking] > 0 {
		text += fmt.Sprintf(" · %d working", n[fleet.TaskWorking])
	}
	if n[fleet.TaskInReview] > 0 {
		text += fmt.Sprintf(" · %d in review", n[fleet.TaskInReview])
	}
	text += fmt.Sprintf(" · %d%%", n.Over()*100/all)
	bar := min(40, width-ansi.StringWidth(text)-4)
	if bar < 8 {
		return " " + theme.Dim.Render(words.FitWidth(text, width-1))
	}
	begun := n[fleet.TaskWorking] + n[fleet.TaskInReview]
	full := bar * n.Over() / all
	under := bar*(n.Over()+begun)/all - full
	if begun > 0 && under == 0 && full < bar {
		under = 1
	}
	return " " + theme.Good.Render(strings.Repeat("█", full)) + theme.Working.Render(strings.Repeat("▓", under)) +
		theme.Track.Render(strings.Repeat("░", bar-full-under)) + "  " + theme.Dim.Render(text)
}

// underWay lists the tasks in progress by ship.
func underWay(all []tasks.State, into []int32) []int32 {
	for i := range all {
		if all[i].Status == tasks.InProgress {
			into = append(into, int32(i))
		}
	}
	slices.SortStableFunc(into, func(a, b int32) int {
		return compareShips(all[a].Owner, all[b].Owner)
	})
	return into
}

// compareShips orders the names of ships: ship-9 before ship-10.
func compareShips(a, b string) int {
	return cmp.Or(len(a)-len(b), strings.Compare(a, b))
}

// activeWork draws who does what, below the tasks: a rule, a heading and a row for each
// ship that works, in at most a third of the height.
func (p *Pane) activeWork(width, height int) []string {
	room := min(len(p.active), height/3-2)
	if room < 1 || p.isPool() { // which has a group for it
		return nil
	}
	rows := []string{
		theme.Track.Render(strings.Repeat("─", width)),
		" " + theme.Title.Render("Active Work"),
	}
	if room < len(p.active) {
		room--
	}
	for _, i := range p.active[:room] {
		t := &p.tasks[i]
		name := subject(t)
		if t.InReview() {
			name = "review: " + name
		}
		owner := words.FitWidth(line(t.Owner), 20)
		used := cells(owner) + 4
		head := " " + p.pens.ship(owner).Render("["+owner+"]") + " "
		tail := since(" · ", p.now, t.ClaimedAt)
		space := max(1, width-used-cells(tail)-1)
		rows = append(rows, head+p.pens.plain.Render(words.FitWidth(name, space))+p.pens.dim.Render(tail))
	}
	if more := len(p.active) - room; more > 0 {
		rows = append(rows, " "+theme.Dim.Render(fmt.Sprintf("+ %d more", more)))
	}
	return rows
}
