package dirstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ocaptain/tasks"
)

// maxHistory bounds what a restatement keeps of a task's history.
const maxHistory = 100

// mark begins or ends a restatement: the state of all tasks, in as many records as there are tasks. It takes the
// place of all that the journal says before, once it is whole.
type mark struct {
	Begin bool   `json:"begin,omitempty"`
	Tasks int    `json:"tasks"`
	Floor uint64 `json:"floor,omitempty"`
}

// kept is one task of a restatement.
type kept struct {
	Origin  tasks.Task    `json:"origin"` // as it was added
	State   tasks.State   `json:"state"`
	History []tasks.Event `json:"history,omitempty"`
}

// restatement is one as far as it was read.
type restatement struct {
	mark
	all []kept
}

func (r *replay) restate(at time.Time, data []byte) error {
	var m mark
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	if m.Begin {
		r.restated = &restatement{mark: m}
		return nil
	}
	w := r.restated
	if r.restated = nil; w == nil || len(w.all) != w.Tasks || m.Tasks != w.Tasks {
		return errors.New("a restatement is not whole")
	}
	l, err := rebuild(at, w.all, w.Floor)
	if err != nil {
		return err
	}
	r.ledger, r.staged, r.damaged, r.problems = l, nil, 0, nil
	r.applied++
	return nil
}

func (r *replay) restore(data []byte) error {
	if r.restated == nil {
		return errors.New("it belongs to no restatement")
	}
	var k kept
	if err := json.Unmarshal(data, &k); err != nil {
		return err
	}
	r.restated.all = append(r.restated.all, k)
	return nil
}

// rebuild makes a ledger of tasks in the states that they are in.
func rebuild(at time.Time, all []kept, floor uint64) (*ledger, error) {
	origins := make([]tasks.Task, len(all))
	for i := range all {
		origins[i] = all[i].Origin
	}
	l := newLedger()
	l.floor = floor
	b, err := l.newBatch(origins)
	if err != nil {
		return nil, err
	}
	l.insert(at, b)
	slices.SortStableFunc(all, func(a, b kept) int { return a.State.ClaimedAt.Compare(b.State.ClaimedAt) })
	holders := map[*group]string{}
	for i := range all {
		e := l.entries[all[i].Origin.ID]
		l.restore(e, all[i].State)
		if len(all[i].History) > 0 {
			e.history = all[i].History
		}
		switch s := e.state; {
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

// restore brings a task that was just added to the state that it had.
func (l *ledger) restore(e *entry, s tasks.State) {
	was := e.state.Status
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

// Restate writes the state of all tasks to the journal anew, for one that has lost something since it was opened.
func (s *Store) Restate() error {
	s.mu.Lock()
	err := s.restate(time.Now().UTC())
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.journal.Sync()
}

func (s *Store) restate(at time.Time) error {
	note := func(kind string, data any) error {
		_, err := s.journal.NoteAt(at, prefix+kind, data)
		return err
	}
	m := mark{Begin: true, Tasks: len(s.ledger.order), Floor: s.ledger.floor}
	err := note(restating, m)
	for _, e := range s.ledger.order {
		if err == nil {
			err = note(restored, kept{e.origin, *e.state, e.history[max(0, len(e.history)-maxHistory):]})
		}
	}
	if m.Begin = false; err == nil {
		err = note(restating, m)
	}
	if err != nil {
		return fmt.Errorf("restate the tasks: %w", err)
	}
	return nil
}

// mendLedger brings into the ledger, and the journal, what mender says that they have lost. The store is not in use yet.
func (s *Store) mendLedger(mender Mender, damaged bool) error {
	known := make([]*tasks.State, len(s.ledger.order))
	for i, e := range s.ledger.order {
		known[i] = e.state
	}
	files, err := s.readTaskFiles()
	if err != nil {
		return err
	}
	m, err := mender(known, files, damaged)
	if err != nil || m.IsEmpty() {
		return err
	}
	further := make(map[string]tasks.State, len(m.States))
	for _, state := range m.States {
		further[state.ID] = state
	}
	now := time.Now().UTC().Round(0)
	all := make([]kept, 0, len(known)+len(m.Add))
	for _, e := range s.ledger.order {
		all = append(all, kept{e.origin, *e.state, e.history})
	}
	for _, t := range m.Add {
		all = append(all, kept{Origin: t, State: tasks.State{Task: t}})
	}
	for i := range all {
		if state, ok := further[all[i].Origin.ID]; ok {
			all[i].State = state
			all[i].History = append(slices.Clone(all[i].History), tasks.Event{
				At: now, Kind: restored, Task: state.ID, Owner: state.Owner, Epoch: state.Epoch, Commit: state.Commit, Reason: "the journal had lost it",
			})
		}
	}
	l, err := rebuild(now, all, max(m.Floor, s.ledger.floor))
	if err != nil {
		return fmt.Errorf("mend the journal: %w", err)
	}
	l.takeChanged()
	s.ledger, s.problems = l, nil
	if err := s.restate(now); err != nil {
		return err
	}
	return s.journal.Sync()
}

// readTaskFiles reads the tasks in the directory that nobody else has changed since they were written.
func (s *Store) readTaskFiles() (map[string]tasks.State, error) {
	dir := s.guard.Name()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := map[string]tasks.State{}
	for _, entry := range entries {
		id, ok := taskOf(entry.Name())
		if !ok || !tasks.ValidID(id) {
			continue
		}
		data, err := read(filepath.Join(dir, entry.Name()))
		if err != nil {
			continue // a view of it is written anew
		}
		t, err := parse(data)
		if err != nil || t.ID != id || signatureOf(t) != signedAs(t) {
			continue
		}
		state := tasks.State{Task: t}
		if own, ok := t.Metadata[tasks.Reserved].(map[string]any); ok {
			epoch, _ := own["epoch"].(float64)
			state.Epoch = uint64(max(0, epoch))
			state.Commit, _ = own["commit"].(string)
		}
		state.Metadata = withoutReserved(t.Metadata)
		all[id] = state
	}
	return all, nil
}
