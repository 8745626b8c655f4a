package taskpane

import (
	"fmt"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// backAt says with whom work is that was handed in and came back.
func backAt(with string) string {
	if with == "" {
		return "sent back"
	}
	return "back at " + line(with)
}

// reviewText says where a task that is in review stands.
func reviewText(t *tasks.State) string {
	switch step := fleet.StepOf(t); {
	case step == fleet.StepReviewing:
		return "in review, reviewing by " + line(t.Owner)
	case step == fleet.StepMerging:
		return "in review, merging, approved by " + line(fleet.Reviewer(t))
	case t.HandIn.Checked == "":
		return "in review, waits for its turn"
	}
	return "in review, checked, waits for a validator"
}

// passedText says what came of a check.
func passedText(passed bool) string {
	if passed {
		return "verify.sh has passed on it"
	}
	return "verify.sh fails on it, and without it as well"
}

// handIn says what is known of work that was handed in: by whom, what of it is approved, and how often it was rejected.
func (s *sheet) handIn(t *tasks.State) {
	if t.Rejections > 0 {
		s.fact("Rejected", theme.Plain.Render(words.Counted(t.Rejections, "time")))
	}
	if with, back := fleet.IsBack(t); back {
		s.text("Handed in", "commit "+words.ShortCommit(line(t.Draft))+", "+backAt(with))
	}
	h := t.HandIn
	if h == nil {
		return
	}
	s.moment("Handed in", h.At)
	owner := line(h.Owner)
	s.fact("", theme.Dim.Render("by ")+theme.ShipStyle(owner).Render(owner)+theme.Dim.Render(", commit "+words.ShortCommit(line(h.Commit))))
	s.text("It says", h.Summary)
	switch {
	case h.Passed && s.p.board.Voyage.Unchecked:
		s.fact("Checked", theme.Dim.Render("no, as no command was given with --verify"))
	case h.Passed:
		s.fact("Checked", theme.Yes.Style.Render(theme.Yes.Glyph+" "+passedText(true)))
	case h.Checked != "":
		s.fact("Checked", theme.Warn.Style.Render(theme.Warn.Glyph+" "+passedText(false)))
	}
	r := h.Review
	if r == nil {
		return
	}
	s.moment("Approved", r.At)
	by := line(r.By)
	s.fact("", theme.Dim.Render("by ")+theme.ShipStyle(by).Render(by))
	s.text("Reasoning", r.Reasoning)
	for n, suggestion := range r.Suggestions {
		if n == maxSuggestions {
			s.fact("", theme.Dim.Render(fmt.Sprintf("+ %d more", len(r.Suggestions)-n)))
			break
		}
		s.text("Suggests", suggestion)
	}
}
