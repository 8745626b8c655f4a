package tasksheet

import (
	"fmt"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/dash/taskstory"
	"ocaptain/ui/words"
)

// handIn adds the facts of work that was handed in: by which ship, which parts are approved, and how often it was
// rejected.
func (s *sheet) handIn(t *tasks.State) {
	if t.Rejections > 0 {
		s.fact("Rejected", theme.Plain.Render(words.Counted(t.Rejections, "time")))
	}
	if with, back := fleet.IsBack(t); back {
		s.text("Handed in", "commit "+words.ShortCommit(pane.Line(t.Draft))+", "+standing.BackAt(with))
	}
	h := t.HandIn
	if h == nil {
		return
	}
	s.moment("Handed in", h.At)
	owner := pane.Line(h.Owner)
	s.fact("", theme.Dim.Render("by ")+theme.ShipStyle(owner).Render(owner)+theme.Dim.Render(", commit "+words.ShortCommit(pane.Line(h.Commit))))
	s.text("It says", h.Summary)
	switch {
	case h.Passed && s.p.Board.Voyage.Unchecked:
		s.fact("Checked", theme.Dim.Render("no, as no command was given with --verify"))
	case h.Passed:
		s.fact("Checked", theme.Yes.Style.Render(theme.Yes.Glyph+" "+taskstory.PassedText(true)))
	case h.Checked != "":
		s.fact("Checked", theme.Warn.Style.Render(theme.Warn.Glyph+" "+taskstory.PassedText(false)))
	}
	r := h.Review
	if r == nil {
		return
	}
	s.moment("Approved", r.At)
	by := pane.Line(r.By)
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
