package ledger

import (
	"time"

	"ocaptain/tasks"
)

// Completes reports whether a Completion with this owner and epoch may complete the task: they are those of the
// current claim, or of approved work.
func Completes(s *tasks.State, owner string, epoch uint64) bool {
	switch {
	case s.HandIn == nil:
		return s.Status == tasks.InProgress && s.Owner == owner && s.Epoch == epoch
	case s.Approved():
		return s.Status == tasks.Pending && s.HandIn.Owner == owner && s.HandIn.Epoch == epoch
	}
	return false
}

func (l *Ledger) applyHandIn(e *Entry, at time.Time, c *Change) {
	l.release(e)
	l.change(e, func(s *tasks.State) {
		s.Status, s.Owner, s.ReservedFor, s.Draft = tasks.Pending, "", "", ""
		s.HandIn = &tasks.HandIn{Owner: c.Owner, Hub: s.Hub, Epoch: c.Epoch, Commit: c.Commit, Empty: c.Empty, Summary: c.Summary, On: s.On, Begun: s.ClaimedAt, At: at}
		s.ClaimedAt, s.On, s.Resumes = time.Time{}, "", 0
	})
}

func (l *Ledger) applyApproval(e *Entry, c *Change) {
	l.release(e)
	l.change(e, func(s *tasks.State) {
		s.Status, s.Owner = tasks.Pending, ""
		s.ClaimedAt, s.Resumes = time.Time{}, 0
	})
	l.changeHandIn(e, func(h *tasks.HandIn) { h.Review = c.Review })
}

// changeHandIn replaces the HandIn with an edited copy, since snapshots share the old one.
func (l *Ledger) changeHandIn(e *Entry, edit func(h *tasks.HandIn)) {
	l.change(e, func(s *tasks.State) {
		h := *s.HandIn
		edit(&h)
		s.HandIn = &h
	})
}
