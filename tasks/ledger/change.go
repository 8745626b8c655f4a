package ledger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"ocaptain/tasks"
)

// The kinds of the store's records in the journal, without Prefix.
const (
	Added     = "added"
	reserved  = "reserved"
	claimed   = tasks.Claimed
	Completed = "completed"
	requeued  = "requeued"
	HandedIn  = "handed-in"
	Taken     = "taken" // a hub will review and merge what was handed in
	Checked   = "checked"
	Approved  = "approved"
	Cancelled = "cancelled"
	edited    = "edited"
	joined    = "joined" // a hub joined; Owner names it
	alive     = "alive"  // a hub says that it is there
	reopened  = "reopened"
	mended    = "mended"    // a hub has restored what the log had lost
	Restating = "restating" // begins and ends a restatement
	Restored  = "restored"  // one task of a restatement
)

// Prefix starts the kinds of the store's records. The store ignores all other records of the
// journal.
const Prefix = "task."

// Change is a change of one task, as the journal keeps it, or a batch of new tasks.
type Change struct {
	Kind      string        `json:"-"`
	Batch     *batch        `json:"-"`
	Task      string        `json:"task,omitempty"`
	Owner     string        `json:"owner,omitempty"`
	Epoch     uint64        `json:"epoch,omitempty"`
	Hub       int           `json:"hub,omitempty"` // number of the hub that claims for one of its ships, 0 for the first
	Commit    string        `json:"commit,omitempty"`
	Together  string        `json:"together,omitempty"`
	Reason    string        `json:"reason,omitempty"`
	By        string        `json:"by,omitempty"` // who requested it
	NotBefore time.Time     `json:"notBefore,omitzero"`
	Hold      bool          `json:"hold,omitempty"`
	Summary   string        `json:"summary,omitempty"`
	Empty     bool          `json:"empty,omitempty"`
	Review    *tasks.Review `json:"review,omitempty"`
	Passed    bool          `json:"passed,omitempty"`
	Back      bool          `json:"back,omitempty"`
	For       string        `json:"for,omitempty"`
	Rejected  bool          `json:"rejected,omitempty"`
	GoesOn    bool          `json:"goesOn,omitempty"`
	Fresh     bool          `json:"fresh,omitempty"`
	Proposed  int           `json:"proposed,omitempty"`

	Subject     string   `json:"subject,omitempty"`
	Description string   `json:"description,omitempty"`
	Blocks      []string `json:"blocks,omitempty"`
	BlockedBy   []string `json:"blockedBy,omitempty"`
	Unblocks    []string `json:"unblocks,omitempty"`
	UnblockedBy []string `json:"unblockedBy,omitempty"`

	Metadata map[string]any `json:"metadata,omitempty"` // to set; null removes a key

	Terms json.RawMessage `json:"terms,omitempty"` // what the first hub writes for hubs that join later

	States []tasks.State `json:"states,omitempty"` // states to which tasks are restored
	Floor  uint64        `json:"floor,omitempty"`  // see Ledger.Floor
}

// ApplyChange carries a change out. It refuses a change that the state does not allow; only a damaged journal holds
// such a change.
func (l *Ledger) ApplyChange(at time.Time, c *Change) error {
	switch {
	case c.Batch != nil:
		l.Insert(at, c.Batch)
		return nil
	case c.Kind == joined:
		again, err := l.Join(c.Owner, c.Terms)
		if again != nil {
			l.Hubs = append(l.Hubs, c.Owner)
		}
		if again != nil && len(l.Hubs) == 1 {
			l.Terms = c.Terms
		}
		return err
	case c.Kind == alive:
		_, err := l.Alive(c.Hub)
		if err == nil {
			l.Heard[c.Hub]++
		}
		return err
	case c.Kind == mended:
		return l.applyMend(at, c)
	}
	e := l.Entries[c.Task]
	if e == nil {
		return fmt.Errorf("task %s is unknown", c.Task)
	}
	s := e.State
	switch {
	case c.Kind == reserved && s.Status == tasks.Pending && e.group == nil:
		l.change(e, func(s *tasks.State) { s.ReservedFor = c.Owner })
	case c.Kind == claimed && s.Status == tasks.Pending && c.Epoch > s.Epoch && c.Owner != "":
		l.applyClaim(e, at, c)
	case c.Kind == Completed && Completes(s, c.Owner, c.Epoch):
		l.applyCompletion(e, at, c)
	case c.Kind == Cancelled && s.Status != tasks.Completed:
		l.applyCompletion(e, at, c)
	case c.Kind == HandedIn && s.Status == tasks.InProgress && c.Epoch == s.Epoch && c.Owner == s.Owner && s.HandIn == nil:
		l.applyHandIn(e, at, c)
	case c.Kind == Taken && s.InReview() && s.Status == tasks.Pending && s.HandIn.Commit == c.Commit && c.Hub >= 0 && c.Hub < len(l.Hubs):
		l.changeHandIn(e, func(h *tasks.HandIn) { h.Taken, h.By, h.Checked, h.Passed = true, c.Hub, "", false })
	case c.Kind == Checked && s.InReview() && s.HandIn.Commit == c.Commit:
		l.changeHandIn(e, func(h *tasks.HandIn) { h.Checked, h.Passed = c.Together, c.Passed })
	case c.Kind == Approved && s.InReview() && s.Status == tasks.InProgress && c.Epoch == s.Epoch && c.Owner == s.Owner && c.Review != nil:
		l.applyApproval(e, c)
	case c.Kind == requeued && s.Status != tasks.Completed:
		l.applyRequeue(e, at, c)
	case c.Kind == reopened && s.Status == tasks.Completed && !s.Cancelled && c.Epoch == s.Epoch:
		l.applyReopening(e, c)
	case c.Kind == edited && s.Status != tasks.Completed && l.checkEdges([]tasks.Task{c.edges()}, c) == nil:
		l.applyEdit(e, c)
	default:
		return fmt.Errorf("task %s cannot be %s: it is %s, epoch %d", c.Task, c.Kind, s.Status, s.Epoch)
	}
	e.History = append(e.History, tasks.Event{
		At: at, Kind: c.Kind, Task: c.Task, Owner: c.Owner, Epoch: c.Epoch, Commit: c.Commit, Reason: c.Reason, By: c.By,
	})
	return nil
}

func (l *Ledger) applyClaim(e *Entry, at time.Time, c *Change) {
	l.change(e, func(s *tasks.State) {
		s.Status = tasks.InProgress
		s.Owner = c.Owner
		s.Hub, s.Epoch, s.On = c.Hub, c.Epoch, c.Commit
		if s.HandIn == nil {
			s.Attempts++
		}
		s.ReservedFor = ""
		s.NotBefore, s.RequeuedAt = time.Time{}, time.Time{}
		s.ClaimedAt = at
	})
	l.held[c.Owner] = append(l.held[c.Owner], e)
	if e.State.HandIn == nil {
		l.reserve(e.group, c.Owner)
	}
}

func (l *Ledger) applyCompletion(e *Entry, at time.Time, c *Change) {
	if e.State.Status == tasks.InProgress {
		l.release(e)
	}
	l.change(e, func(s *tasks.State) {
		s.Status = tasks.Completed
		s.Owner, s.Epoch, s.ReservedFor, s.OnHold, s.HeldBy = c.Owner, c.Epoch, "", false, ""
		s.Commit, s.Empty, s.Draft = c.Commit, c.Empty, ""
		switch {
		case c.Kind == Cancelled:
			s.Cancelled, s.Reason, s.HandIn, s.Proposed, s.ClaimedAt = true, c.Reason, nil, 0, time.Time{}
		case s.HandIn != nil:
			s.ClaimedAt = s.HandIn.Begun
		}
		s.CompletedAt = at
	})
	for _, d := range e.dependents {
		l.removeFromQueue(d)
		d.open--
		l.enqueue(d)
	}
	if e.group != nil && e.group.allHaveStatus(tasks.Completed) {
		l.reserve(e.group, "")
	}
}

func (l *Ledger) applyReopening(e *Entry, c *Change) {
	l.change(e, func(s *tasks.State) {
		s.Status, s.From, s.Owner, s.Reason = tasks.Pending, s.Owner, "", c.Reason
		s.Commit, s.Empty, s.On, s.HandIn, s.Rejections, s.Resumes = "", false, "", nil, 0, 0
		s.ClaimedAt, s.CompletedAt = time.Time{}, time.Time{}
	})
	for _, d := range e.dependents {
		l.removeFromQueue(d)
		d.open++
		l.enqueue(d)
	}
	l.followGroup(e)
}

func (l *Ledger) applyRequeue(e *Entry, at time.Time, c *Change) {
	if e.State.Status == tasks.InProgress {
		l.release(e)
	}
	held := e.State.OnHold
	l.change(e, func(s *tasks.State) {
		s.Status = tasks.Pending
		s.From = s.Owner
		s.Owner, s.ReservedFor, s.On = "", "", ""
		s.NotBefore, s.RequeuedAt = c.NotBefore, time.Time{}
		if !c.NotBefore.IsZero() || c.Hold {
			s.RequeuedAt = at
		}
		s.OnHold, s.Proposed, s.HeldBy = c.Hold, c.Proposed, ""
		if c.Hold {
			s.HeldBy = c.By
		}
		s.Reason = c.Reason
		s.ClaimedAt = time.Time{}
		if c.Back && s.HandIn != nil {
			s.Draft, s.Hub, s.HandIn, s.ReservedFor = s.HandIn.Commit, s.HandIn.Hub, nil, c.For
		}
		if s.HandIn == nil {
			s.Draft = cmp.Or(c.Commit, s.Draft)
			if c.GoesOn {
				s.ReservedFor = c.For
			}
		}
		if c.Fresh {
			s.Draft, s.Rejections, s.Resumes = "", 0, 0
		}
		switch {
		case c.GoesOn:
			s.Resumes++
		case c.Rejected:
			s.Rejections++
		case held && !c.Hold:
			s.Rejections, s.Resumes = 0, 0 // the captain has fixed the cause
		}
	})
	switch g := e.group; {
	case g == nil:
	case c.For != "" && g.holder == "":
		l.reserve(g, c.For)
	case e.State.HandIn != nil || c.For != "" || g.isWorkedOn():
		l.followGroup(e)
	default:
		l.reserve(g, "")
	}
}

func (g *group) allHaveStatus(status tasks.Status) bool {
	for _, e := range g.members {
		if e.State.Status != status {
			return false
		}
	}
	return true
}

// isWorkedOn reports whether an owner works on a task of the group. A review does not count.
func (g *group) isWorkedOn() bool {
	for _, e := range g.members {
		if e.State.Status == tasks.InProgress && e.State.HandIn == nil {
			return true
		}
	}
	return false
}
