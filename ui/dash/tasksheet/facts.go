package tasksheet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/standing"

	"charm.land/lipgloss/v2"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// facts lists what is known of the task besides its text.
func (s *sheet) facts(t *tasks.State) {
	look := theme.Task(s.p.Standings[s.i])
	status := look.String()
	owner := pane.Line(t.Owner)
	switch {
	case s.p.Standings[s.i] == fleet.TaskInReview:
		status += theme.Dim.Render(strings.TrimPrefix(standing.ReviewText(t), look.Word))
	case owner != "":
		status += theme.Dim.Render(" on ") + theme.ShipStyle(owner).Render(owner)
	}
	s.fact("Status", status)
	if ship := s.p.Ship(t.Owner); ship != nil && t.Status == tasks.InProgress {
		now := theme.Status(ship.Status.Word)
		if s.p.Needs.HasStatus(ship) {
			now = now.Needing()
		}
		text := now.Style.Render(now.Glyph + " " + pane.Line(now.Word))
		if ship.Status.Reason != "" {
			text += theme.Dim.Render(": " + words.FitWidth(pane.Line(ship.Status.Reason), s.width-30))
		}
		s.fact("Ship", text)
	}
	s.steers(t)
	if t.Attempts > 0 || t.Epoch > 0 {
		text := fmt.Sprintf("claim %d · %s", t.Epoch, words.Counted(t.Attempts, "attempt"))
		s.fact("Claims", theme.Plain.Render(text))
	}
	if t.Reason != "" {
		label, look := "Requeued", theme.Plain
		switch {
		case t.OnHold && t.HeldBy == fleet.Captain:
			label = "On hold"
		case t.OnHold:
			label, look = "On hold", theme.Needs
		}
		s.styled(label, t.Reason, look)
	}
	s.handIn(t)
	if root := s.p.Root(t.ID); root != "" {
		s.text("Waits for", "task "+root+", which is on hold")
	}
	if !t.OnHold { // a task on hold has no ship either
		s.moment("Not before", t.NotBefore)
	}
	s.moment("Claimed", t.ClaimedAt)
	s.moment("Completed", t.CompletedAt)
	if !t.ClaimedAt.IsZero() && t.CompletedAt.After(t.ClaimedAt) {
		s.fact("Took", theme.Plain.Render(words.Duration(t.CompletedAt.Sub(t.ClaimedAt))))
	}
	s.text("Kept for", t.ReservedFor)
	s.text("Only ship", t.OnlyShip())
	s.text("Only agent", t.OnlyAgent())
	s.text("Only model", t.OnlyModel())
	s.text("Group", t.Group())
	s.text("Issue", s.p.Board.Voyage.Bead(&t.Task))
	if _, set := t.Metadata["priority"]; set {
		s.fact("Priority", theme.Plain.Render(fmt.Sprintf("%d of 0 to 4, 0 first", t.Priority())))
	}
	if e := t.Estimate(); e > 0 {
		s.fact("Estimate", theme.Plain.Render(words.Age(e)))
	}
	s.text("Run", t.Run())
	s.text("Verify", t.Verify())
	if t.Empty {
		s.fact("Commit", theme.Dim.Render("none: nothing changed"))
	}
	s.text("Commit", t.Commit)
	if t.Commit != "" {
		s.fact("Take it", theme.Dim.Render("t brings it, and all merged before, into your checkout"))
	}
	s.others(t)
}

// steers says that the work changes files which steer agents.
func (s *sheet) steers(t *tasks.State) {
	is := s.p.Board.SteeringOf(t.ID)
	if is == nil {
		return
	}
	look := theme.Title
	if is.Word == fleet.Waits {
		look = theme.Needs
	}
	s.styled("Steers", words.Steering(is), look)
}

// moment adds a row with a time, unless the time is zero.
func (s *sheet) moment(name string, at time.Time) {
	if at.IsZero() {
		return
	}
	ago := words.Since(s.p.Now, at)
	if at.After(s.p.Now) {
		ago = "in " + words.Age(at.Sub(s.p.Now))
	}
	s.fact(name, theme.Plain.Render(standing.Clock(s.p.Now, at))+theme.Dim.Render(" · "+ago))
}

// text adds a text that somebody wrote, in a few rows.
func (s *sheet) text(name, value string) { s.styled(name, value, theme.Plain) }

func (s *sheet) styled(name, value string, style lipgloss.Style) {
	if strings.TrimSpace(value) == "" {
		return
	}
	text := strings.ReplaceAll(clean.Text(strings.TrimSpace(value)), "\t", "    ")
	parts := words.Wrap(text, max(8, s.width-13))
	const rows = 6
	if len(parts) > rows {
		parts = append(parts[:rows-1], "…")
	}
	s.fact(name, style.Render(parts[0]))
	for _, part := range parts[1:] {
		s.fact("", style.Render(part))
	}
}

// others lists the metadata that has no row of its own.
func (s *sheet) others(t *tasks.State) {
	shown := []string{"priority", "estimate", "run", "verify", "group"}
	left := 0
	for n, key := range slices.Sorted(maps.Keys(t.Metadata)) {
		switch {
		case slices.Contains(shown, key):
		case n >= maxFacts:
			left++
		default:
			value := t.Metadata[key]
			text, ok := value.(string)
			if !ok {
				text = fmt.Sprint(value)
			}
			s.text("Metadata", pane.Line(key)+" = "+pane.Line(text))
		}
	}
	if left > 0 {
		s.fact("", theme.Dim.Render(fmt.Sprintf("+ %d more", left)))
	}
}
