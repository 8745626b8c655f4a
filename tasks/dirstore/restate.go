package dirstore

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ocaptain/tasks/ledger"
	"ocaptain/tasks/taskdir"

	"ocaptain/tasks"
)

// Restate writes the state of all tasks to the journal again, because the journal has lost records since it was
// opened.
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
		_, err := s.journal.Copy(at, ledger.Prefix+kind, data, s.shared.mark())
		return err
	}
	m := ledger.Mark{Begin: true, Tasks: len(s.ledger.Order), Floor: s.ledger.Floor, Hubs: s.ledger.Hubs, Terms: s.ledger.Terms}
	err := note(ledger.Restating, m)
	for _, e := range s.ledger.Order {
		if err == nil {
			err = note(ledger.Restored, ledger.Kept{Origin: e.Origin, State: *e.State, History: e.History[max(0, len(e.History)-ledger.MaxHistory):]})
		}
	}
	if m.Begin = false; err == nil {
		err = note(ledger.Restating, m)
	}
	if err != nil {
		return fmt.Errorf("restate the tasks: %w", err)
	}
	return nil
}

// mendLedger asks mender what was lost, and adds it to the ledger and the journal. It runs before the store is in
// use.
func (s *Store) mendLedger(mender Mender, damaged bool) error {
	known := make([]*tasks.State, len(s.ledger.Order))
	for i, e := range s.ledger.Order {
		known[i] = e.State
	}
	files, err := s.readTaskFiles()
	if err != nil {
		return err
	}
	m, err := mender(known, files, damaged)
	if err != nil || m.IsEmpty() {
		return err
	}
	now := time.Now().UTC().Round(0)
	l, err := s.ledger.Mended(now, m.Add, m.States, m.Floor, "the journal had lost it")
	if err != nil {
		return fmt.Errorf("mend the journal: %w", err)
	}
	l.TakeChanged()
	s.ledger, s.problems = l, nil
	if err := s.restate(now); err != nil {
		return err
	}
	return s.journal.Sync()
}

// readTaskFiles reads the tasks in those files of the directory that only ocaptain has written.
func (s *Store) readTaskFiles() (map[string]tasks.State, error) {
	dir := s.guard.Name()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := map[string]tasks.State{}
	for _, entry := range entries {
		id, ok := taskdir.TaskOf(entry.Name())
		if !ok || !tasks.ValidID(id) {
			continue
		}
		data, err := taskdir.Read(filepath.Join(dir, entry.Name()))
		if err != nil {
			continue // the view writes it again
		}
		t, err := taskdir.Parse(data)
		if err != nil || t.ID != id || taskdir.SignatureOf(t) != taskdir.SignedAs(t) {
			continue
		}
		state := tasks.State{Task: t}
		if own, ok := t.Metadata[tasks.Reserved].(map[string]any); ok {
			epoch, _ := own["epoch"].(float64)
			state.Epoch = uint64(max(0, epoch))
			state.Commit, _ = own["commit"].(string)
		}
		state.Metadata = taskdir.WithoutReserved(t.Metadata)
		all[id] = state
	}
	return all, nil
}
