package standing

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// Headline returns a task in one line.
func (p *Tasks) Headline(i int32, width int) string {
	t := &p.All[i]
	state := p.Look(i)
	head := " " + state.Style.Render(state.Glyph) + " " + theme.Title.Render(pane.Line(t.ID)) + "  "
	tail := "  " + state.Style.Render(state.Word) + " "
	room := max(8, width-ansi.StringWidth(head)-ansi.StringWidth(tail))
	return head + theme.Title.Render(words.FitWidth(Subject(t), room)) + tail
}

// CauseRows lists the causes, or says that nothing keeps the task from being ready.
func (p *Tasks) CauseRows(i int32, c Causes, width int) []string {
	if len(c.Roots) == 0 {
		text := "Nothing keeps it: it is ready."
		switch p.Standings[i] {
		case fleet.TaskWorking, fleet.TaskInReview:
			text = "Nothing keeps it: it is " + p.Cause(i).Why + "."
		case fleet.TaskDone, fleet.TaskCancelled:
			text = "Nothing keeps it: it is " + p.Standings[i].String() + "."
		case fleet.TaskReady:
			text = "Nothing keeps it: it is " + p.Cause(i).Why + "."
		}
		return []string{" " + theme.Dim.Render(words.FitWidth(text, width-2))}
	}
	ids, names := 0, 0
	for _, list := range [][]Cause{c.Roots, c.Between} {
		for _, one := range list {
			ids = max(ids, min(ansi.StringWidth(pane.Line(one.ID)), 16))
			names = max(names, ansi.StringWidth(one.Subject))
		}
	}
	names = min(names, max(6, (width-ids-9)*2/5))
	rows := []string{" " + theme.Title.Render("Root "+plural(len(c.Roots), "cause", "causes"))}
	for _, one := range c.Roots {
		rows = append(rows, causeLines(one, ids, names, width)...)
		if len(one.Path) > 2 {
			rows = append(rows, strings.Repeat(" ", 6+ids)+theme.Dim.Render(words.FitWidth(way(one.Path), width-8-ids)))
		}
	}
	if len(c.Between) > 0 {
		rows = append(rows, "", " "+theme.Title.Render("In between"))
		for _, one := range c.Between {
			rows = append(rows, causeLines(one, ids, names, width)...)
		}
	}
	if c.More > 0 {
		rows = append(rows, "   "+theme.Dim.Render("+ "+words.Counted(c.More, "more task")+" that "+plural(c.More, "waits", "wait")))
	}
	return rows
}

// causeLines returns the rows of a cause: what it is, and why, in up to three rows.
func causeLines(c Cause, ids, names, width int) []string {
	head := "  " + c.State.Style.Render(c.State.Glyph) + " " + pane.Fit(pane.Line(c.ID), ids) + "  "
	used := 6 + ids
	style := theme.Dim
	switch {
	case c.Needs:
		style = theme.Needs
	case c.weight == never:
		style = theme.Bad
	case c.weight == trouble:
		style = theme.Plain
	}
	if c.Subject != "" {
		head += pane.Fit(c.Subject, names) + "  "
		used += names + 2
	}
	const most = 3
	parts := words.Wrap(c.Why, max(10, width-used-1))
	rows := make([]string, 0, most)
	for n, part := range parts[:min(len(parts), most)] {
		if n == most-1 && len(parts) > most {
			part = words.FitWidth(part, max(1, width-used-3)) + " …"
		}
		rows = append(rows, head+style.Render(part))
		head = strings.Repeat(" ", used)
	}
	return rows
}

// way writes how one task leads to the next, without the middle of a long way.
func way(ids []string) string {
	names := make([]string, 0, len(ids))
	for n, id := range ids {
		switch {
		case len(ids) <= 12 || n < 6 || n >= len(ids)-5:
			names = append(names, words.FitWidth(pane.Line(id), 16))
		case n == 6:
			names = append(names, "…")
		}
	}
	return strings.Join(names, " ← ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
