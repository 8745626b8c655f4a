package tasksheet

import (
	"fmt"
	"strings"

	"ocaptain/ui/dash/standing"
	"ocaptain/ui/dash/taskstory"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// widestShip bounds the column of ships in a history.
const widestShip = 14

// history lists what happened to the task.
func (s *sheet) history(data *taskstory.DetailData) {
	s.section("History", "")
	if data == nil {
		s.dim("◌ reading the journal")
		return
	}
	if data.HistoryErr != nil {
		s.bad(data.HistoryErr)
	}
	if data.HistoryLeft > 0 {
		s.dim(words.Counted(data.HistoryLeft, "older event") + " left out")
	}
	if len(data.History) == 0 && data.HistoryErr == nil {
		s.dim("○ nothing has happened to it yet")
	}
	ships, times := 0, 0
	for _, e := range data.History {
		ships = max(ships, min(ansi.StringWidth(e.Ship), widestShip))
		times = max(times, len(standing.Clock(s.p.Now, e.At)))
	}
	for _, e := range data.History {
		look := lookOf(e)
		head := "   " + theme.Dim.Render(pane.Fit(standing.Clock(s.p.Now, e.At), times)) + " " +
			look.Style.Render(pane.Fit(look.Glyph+" "+look.Word, 11)) + " "
		if ships > 0 {
			head += " " + theme.ShipStyle(e.Ship).Render(pane.Fit(e.Ship, ships)) + "  "
		}
		s.hanging(head, e.Text)
	}
}

// lookOf returns the look of an event.
func lookOf(e taskstory.Event) theme.State {
	state := theme.State{Glyph: "·", Word: e.What, Style: theme.Dim}
	switch e.What {
	case "claimed", "handed in":
		state.Glyph, state.Style = "●", theme.Working
	case "completed", "checked", "approved":
		state.Glyph, state.Style = "✓", theme.Good
	case "refused", "conflict", "rejected":
		state.Glyph, state.Style = "✗", theme.Bad
	case "requeued", "sent back":
		state.Glyph, state.Style = "↺", theme.Title
	case "note":
		state.Glyph, state.Style = "!", theme.Title
	}
	return state
}

// commits lists the commit on the branch and the ship's own commits before it.
func (s *sheet) commits(data *taskstory.DetailData) {
	s.section("Commits", "")
	switch {
	case data == nil:
		s.dim("◌ reading the commits")
	case data.CommitsErr != nil:
		s.bad(data.CommitsErr)
	case len(data.Commits) == 0:
		s.dim("○ none yet")
	}
	if data == nil {
		return
	}
	for _, c := range data.Commits {
		mark := theme.Dim.Render("·")
		if c.Merged {
			mark = theme.Good.Render("✓ merged")
		}
		head := "   " + theme.Accent.Render(words.ShortCommit(c.ID)) + " " + theme.Dim.Render(standing.Clock(s.p.Now, c.At)) + " " + mark + " "
		s.hanging(head, c.Subject)
		for _, t := range c.Trailers {
			s.rows = append(s.rows, strings.Repeat(" ", 11)+theme.Dim.Render(words.FitWidth(t[0]+": "+t[1], max(1, s.width-13))))
		}
	}
	if data.CommitsCut {
		s.dim("older ones are left out")
	}
}

// patch begins the section of the patch; its rows follow.
func (s *sheet) patch(data *taskstory.DetailData) {
	note := ""
	if data != nil && !data.Patch.IsEmpty() {
		note = fmt.Sprintf("%s · +%d −%d", words.Counted(len(data.Patch.Files), "file"), data.Patch.Added, data.Patch.Removed)
		if data.Patch.Title != "" && strings.HasSuffix(data.Patch.Title, "not merged yet") {
			note += " · " + data.Patch.Title
		}
	}
	s.section("Changes", note)
	switch {
	case data == nil:
		s.dim("◌ reading the changes")
	case data.PatchErr != nil:
		s.bad(data.PatchErr)
	case data.PatchNone != "":
		s.dim("○ " + data.PatchNone)
	}
}
