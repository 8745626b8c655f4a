package dirstore

import (
	"fmt"
	"maps"
	"time"

	"ocaptain/tasks"
)

// The kinds of records that the store keeps in the journal, without their prefix.
const (
	added     = "added"
	reserved  = "reserved"
	claimed   = "claimed"
	completed = "completed"
	requeued  = "requeued"
	annotated = "metadata"
	restating = "restating" // begins and ends a restatement
	restored  = "restored"  // a task of it
)

// prefix starts the kinds of the store's records. Others in the same journal are
// none of its business.
const prefix = "task."

// change is what happened to one task, as the journal keeps it.
type change struct {
	Kind      string         `json:"-"`
	Task      string         `json:"task"`
	Owner     string         `json:"owner,omitempty"`
	Epoch     uint64         `json:"epoch,omitempty"`
	Commit    string         `json:"commit,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	NotBefore time.Time      `json:"notBefore,omitzero"`
	Hold      bool           `json:"hold,omitempty"`
	Session   string         `json:"session,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

// applyChange carries a change out. It refuses one that does not follow from the state,
// which only a damaged journal can hold.
func (l *ledger) applyChange(at time.Time, c *change) error {
	e := l.entries[c.Task]
	if e == nil {
		return fmt.Errorf("task %s is unknown", c.Task)
	}
	s := e.state
	switch {
	case c.Kind == reserved && s.Status == tasks.Pending && e.group == nil:
		l.change(e, func(s *tasks.State) { s.ReservedFor = c.Owner })
	case c.Kind == claimed && s.Status == tasks.Pending && c.Epoch > s.Epoch && c.Owner != "":
		l.applyClaim(e, at, c)
	case c.Kind == completed && s.Status == tasks.InProgress && c.Epoch == s.Epoch && c.Owner == s.Owner:
		l.applyCompletion(e, at, c)
	case c.Kind == requeued && s.Status != tasks.Completed:
		l.applyRequeue(e, at, c)
	case c.Kind == annotated:
		l.change(e, func(s *tasks.State) { s.Metadata = mergeMetadata(s.Metadata, c.Metadata) })
	default:
		return fmt.Errorf("task %s cannot be %s: it is %s, epoch %d", c.Task, c.Kind, s.Status, s.Epoch)
	}
	e.history = append(e.history, tasks.Event{
		At: at, Kind: c.Kind, Task: c.Task, Owner: c.Owner, Epoch: c.Epoch, Commit: c.Commit, Reason: c.Reason,
	})
	return nil
}

func (l *ledger) applyClaim(e *entry, at time.Time, c *change) {
	l.change(e, func(s *tasks.State) {
		s.Status = tasks.InProgress
		s.Owner = c.Owner
		s.Epoch = c.Epoch
		s.Attempts++
		s.ReservedFor = ""
		s.NotBefore, s.RequeuedAt = time.Time{}, time.Time{}
		s.ClaimedAt = at
	})
	l.held[c.Owner] = append(l.held[c.Owner], e)
	l.reserve(e.group, c.Owner)
}

func (l *ledger) applyCompletion(e *entry, at time.Time, c *change) {
	l.release(e)
	l.change(e, func(s *tasks.State) {
		s.Status = tasks.Completed
		s.Commit = c.Commit
		s.Session = ""
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

func (l *ledger) applyRequeue(e *entry, at time.Time, c *change) {
	if e.state.Status == tasks.InProgress {
		l.release(e)
	}
	l.change(e, func(s *tasks.State) {
		s.Status = tasks.Pending
		s.Owner, s.ReservedFor = "", ""
		s.NotBefore, s.RequeuedAt = c.NotBefore, time.Time{}
		if !c.NotBefore.IsZero() || c.Hold {
			s.RequeuedAt = at
		}
		s.OnHold = c.Hold
		s.Session = c.Session
		s.Reason = c.Reason
		s.ClaimedAt = time.Time{}
	})
	if e.group == nil {
		return
	}
	if e.group.anyHasStatus(tasks.InProgress) {
		l.followGroup(e)
	} else {
		l.reserve(e.group, "")
	}
}

func (g *group) allHaveStatus(status tasks.Status) bool {
	for _, e := range g.members {
		if e.state.Status != status {
			return false
		}
	}
	return true
}

func (g *group) anyHasStatus(status tasks.Status) bool {
	for _, e := range g.members {
		if e.state.Status == status {
			return true
		}
	}
	return false
}

// mergeMetadata returns metadata with what was added; nil removes a key.
func mergeMetadata(metadata, add map[string]any) map[string]any {
	merged := make(map[string]any, len(metadata)+len(add))
	maps.Copy(merged, metadata)
	for k, v := range add {
		if v == nil {
			delete(merged, k)
		} else {
			merged[k] = v
		}
	}
	return merged
}
