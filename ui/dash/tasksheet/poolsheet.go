package tasksheet

import (
	"cmp"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/dash/taskstory"
	"ocaptain/ui/words"
)

// dispatch adds the facts of a dispatch, its whole command and its agent's last answer.
func (s *sheet) dispatch(t *tasks.State, data *taskstory.DetailData) {
	r := dispatch.Result{Began: t.ClaimedAt, Ended: t.CompletedAt, Commit: t.Commit}
	if data != nil && data.Dispatch != nil {
		r = *data.Dispatch
	}
	status := s.p.Look(s.i).String()
	if owner := pane.Line(cmp.Or(t.Owner, t.ReservedFor)); owner != "" {
		status += theme.Dim.Render(" on ") + theme.ShipStyle(owner).Render(owner)
	}
	s.fact("Status", status)
	switch {
	case t.OnHold && t.HeldBy == fleet.Captain:
		s.text("On hold", t.Reason)
	case t.OnHold:
		s.styled("Failed", t.Reason, theme.Needs)
	}
	s.steers(t)
	if n := s.p.Places[s.i]; n > 0 {
		s.fact("Place", theme.Plain.Render(fmt.Sprintf("%d in the queue", n)))
	}
	s.text("Waits for", t.Worker())
	s.moment("Dispatched", t.Dispatch().At)
	s.moment("Began", r.Began)
	s.moment("Ended", r.Ended)
	if took := r.Ended.Sub(r.Began); !r.Ended.IsZero() && took > 0 {
		s.fact("Took", theme.Plain.Render(words.Duration(took.Round(time.Second))))
	}
	from := words.ShortCommit(t.Dispatch().Base)
	if name := t.Dispatch().From; name != "" {
		from += ", " + name
	}
	s.text("Base", from)
	if t.Status == tasks.Completed {
		s.text("Branch", standing.Branch(t))
	}
	s.text("Commit", r.Commit)
	if r.Changed > 0 && t.Status == tasks.Completed {
		s.fact("Take it", theme.Dim.Render("t brings it into your checkout as a branch"))
	}
	s.text("Used", used(r.Usage))
	if data != nil && data.DispatchErr != nil {
		s.bad(data.DispatchErr)
	}
	s.section("Command", "")
	s.lay(t.Description, 3, tasks.MaxCommand)
	if r.Said != "" {
		s.section("Summary", "")
		s.wrapped(r.Said, 3)
	}
}

// used returns the tokens of a dispatch, in words.
func used(u dispatch.Tokens) string {
	text := ""
	if u.CostUSD > 0 {
		text = words.Dollars(u.CostUSD) + ", "
	}
	if u.Tokens > 0 {
		return text + words.Amount(u.Tokens) + " tokens"
	}
	return ""
}
