package standing

import (
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// Subject returns the name of a task.
func Subject(t *tasks.State) string {
	if s := strings.TrimSpace(pane.Line(t.Subject)); s != "" {
		return s
	}
	return "(no subject)"
}

// Brief returns the beginning of a text's first line.
func Brief(s string) string { return words.FitWidth(pane.Line(words.FirstLine(s)), 80) }

// After lists what a task waits for, at most n.
func (p *Tasks) After(i int32, n int) string {
	var ids []string
	more := 0
	name := func(id string) {
		if len(ids) < n {
			ids = append(ids, words.FitWidth(pane.Line(id), 16))
		} else {
			more++
		}
	}
	for _, j := range p.Order.Before[i] {
		if p.All[j].Status != tasks.Completed {
			name(p.All[j].ID)
		}
	}
	for _, id := range p.Order.Missing(i) {
		name(id)
	}
	text := strings.Join(ids, ", ")
	if more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// BackAt says which ship has work that was handed in and came back.
func BackAt(with string) string {
	if with == "" {
		return "sent back"
	}
	return "back at " + pane.Line(with)
}

// ReviewText says where in review a task is.
func ReviewText(t *tasks.State) string {
	switch step := fleet.StepOf(t); {
	case step == fleet.StepReviewing:
		return "in review, reviewing by " + pane.Line(t.Owner)
	case step == fleet.StepMerging:
		return "in review, merging, approved by " + pane.Line(fleet.Reviewer(t))
	case t.HandIn.Checked == "":
		return "in review, waits for its turn"
	}
	return "in review, checked, waits for a validator"
}

// Since returns a word and how long ago a time was, "" for the zero time.
func Since(word string, now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return word + words.Age(now.Sub(t))
}

// Clock returns a time as the captain's clock shows it, with the day when it is not today.
func Clock(now, t time.Time) string {
	t = t.In(now.Location())
	if now.YearDay() == t.YearDay() && now.Year() == t.Year() {
		return t.Format("15:04")
	}
	return t.Format("Jan 2 15:04")
}

// Branch returns the branch of a dispatch's work.
func Branch(t *tasks.State) string { return pane.Line(dispatch.Branch(t.Owner, t.ID)) }
