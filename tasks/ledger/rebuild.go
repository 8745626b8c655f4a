package ledger

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"ocaptain/tasks"
)

// MaxHistory bounds how many events of a task a restatement keeps.
const MaxHistory = 100

// Mark begins or ends a restatement, which is a run of records, one with the state of each task. Once complete, the
// restatement replaces all earlier records.
type Mark struct {
	Begin bool     `json:"begin,omitempty"`
	Tasks int      `json:"tasks"`
	Floor uint64   `json:"floor,omitempty"`
	Hubs  []string `json:"hubs,omitempty"`

	Terms json.RawMessage `json:"terms,omitempty"`
}

// Kept is a record of a restatement: the state of one task.
type Kept struct {
	Origin  tasks.Task    `json:"origin"` // the task when it was added
	State   tasks.State   `json:"state"`
	History []tasks.Event `json:"history,omitempty"`
}

// restatement holds the records of a restatement that were read so far.
type restatement struct {
	Mark
	all []Kept
}

func (r *Replay) restate(at time.Time, data []byte) error {
	var m Mark
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	if m.Begin {
		r.restated = &restatement{Mark: m}
		return nil
	}
	w := r.restated
	if r.restated = nil; w == nil || len(w.all) != w.Tasks || m.Tasks != w.Tasks {
		return errors.New("a restatement is not whole")
	}
	l, err := Rebuild(at, w.all, w.Floor)
	if err != nil {
		return err
	}
	l.Hubs, l.Terms = w.Hubs, w.Terms
	r.Ledger, r.staged, r.Damaged, r.problems = l, nil, 0, nil
	r.Applied++
	return nil
}

func (r *Replay) restore(data []byte) error {
	if r.restated == nil {
		return errors.New("it belongs to no restatement")
	}
	var k Kept
	if err := json.Unmarshal(data, &k); err != nil {
		return err
	}
	r.restated.all = append(r.restated.all, k)
	return nil
}

// Rebuild returns a ledger that holds the given tasks in their states.
func Rebuild(at time.Time, all []Kept, floor uint64) (*Ledger, error) {
	origins := make([]tasks.Task, len(all))
	for i := range all {
		origins[i] = all[i].Origin
	}
	l := newLedger()
	l.Floor = floor
	b, err := l.NewBatch(origins)
	if err != nil {
		return nil, err
	}
	l.Insert(at, b)
	slices.SortStableFunc(all, func(a, b Kept) int { return a.State.ClaimedAt.Compare(b.State.ClaimedAt) })
	holders := map[*group]string{}
	for i := range all {
		e := l.Entries[all[i].Origin.ID]
		l.restore(e, all[i].State)
		if len(all[i].History) > 0 {
			e.History = all[i].History
		}
		switch s := e.State; {
		case e.group == nil || s.HandIn != nil:
		case s.Status == tasks.InProgress:
			holders[e.group] = s.Owner
		case s.ReservedFor != "":
			holders[e.group] = s.ReservedFor
		}
	}
	for _, g := range l.groups {
		l.reserve(g, holders[g])
	}
	return l, nil
}

// restore brings a newly added task to a given state.
func (l *Ledger) restore(e *Entry, s tasks.State) {
	was := e.State.Status
	l.change(e, func(now *tasks.State) {
		blocks, blockedBy := now.Blocks, now.BlockedBy
		*now = s
		now.Blocks, now.BlockedBy = blocks, blockedBy
	})
	if s.Status == tasks.InProgress {
		l.held[s.Owner] = append(l.held[s.Owner], e)
	}
	if s.Status == tasks.Completed && was != tasks.Completed {
		for _, d := range e.dependents {
			l.removeFromQueue(d)
			d.open--
			l.enqueue(d)
		}
	}
}
