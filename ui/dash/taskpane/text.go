package taskpane

import (
	"fmt"
	"strings"

	"ocaptain/tasks"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// subject is what a task is called.
func subject(t *tasks.State) string {
	if s := strings.TrimSpace(pane.Line(t.Subject)); s != "" {
		return s
	}
	return "(no subject)"
}

// brief is the first line of a text, a short one.
func brief(s string) string { return words.FitWidth(pane.Line(words.FirstLine(s)), 80) }

// after lists what a task waits for, at most n.
func (p *Pane) after(i int32, n int) string {
	var ids []string
	more := 0
	name := func(id string) {
		if len(ids) < n {
			ids = append(ids, words.FitWidth(pane.Line(id), 16))
		} else {
			more++
		}
	}
	for _, j := range p.order.Before[i] {
		if p.tasks[j].Status != tasks.Completed {
			name(p.tasks[j].ID)
		}
	}
	for _, id := range p.order.Missing(i) {
		name(id)
	}
	text := strings.Join(ids, ", ")
	if more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}
