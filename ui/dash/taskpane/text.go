package taskpane

import (
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
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
func (p *Tasks) after(i int32, n int) string {
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
		if p.all[j].Status != tasks.Completed {
			name(p.all[j].ID)
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

// backAt says with whom work is that was handed in and came back.
func backAt(with string) string {
	if with == "" {
		return "sent back"
	}
	return "back at " + pane.Line(with)
}

// reviewText says where a task that is in review stands.
func reviewText(t *tasks.State) string {
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

// since writes how long ago something was, after a word, "" when that is not known.
func since(word string, now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return word + words.Age(now.Sub(t))
}

// clock writes a moment as the captain's clock shows it, with its day when that is not today.
func clock(now, t time.Time) string {
	t = t.In(now.Location())
	if now.YearDay() == t.YearDay() && now.Year() == t.Year() {
		return t.Format("15:04")
	}
	return t.Format("Jan 2 15:04")
}

// branch is where the work of a dispatch is.
func branch(t *tasks.State) string { return pane.Line(fleet.DispatchBranch(t.Owner, t.ID)) }
