package dirstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ocaptain/tasks"
	"ocaptain/tasks/ledger"
	"ocaptain/tasks/reconcile"
	"ocaptain/tasks/redislog"
)

// repairTries is how often Repair begins again when another hub has written to the log meanwhile.
const repairTries = 5

// ErrHealthy is the error of a repair of a log that has lost nothing.
var ErrHealthy = errors.New("redis has lost nothing that this hub knows of")

// Repair restores what a log has lost because it continued from an older copy or is empty, if no hub restores it by
// itself. mend gets the tasks of the log and the tasks that this hub had, and returns what the log lacks. Without
// carryOut, Repair only returns this. Afterwards the hub uses the repaired log.
func (s *Store) Repair(ctx context.Context, mend func(log, had []*tasks.State) (reconcile.Mend, error), carryOut bool) (reconcile.Mend, error) {
	if s.shared == nil {
		return reconcile.Mend{}, errors.New("no other hub shares these tasks, and they are in no Redis")
	}
	err := s.CatchUp(ctx)
	switch {
	case err == nil:
		return reconcile.Mend{}, ErrHealthy
	case !errors.Is(err, redislog.ErrLost):
		return reconcile.Mend{}, err
	}
	var m reconcile.Mend
	for range repairTries {
		if m, err = s.repair(ctx, mend, carryOut); !errors.Is(err, errOvertaken) {
			break
		}
	}
	if err == nil && carryOut {
		err = s.CatchUp(ctx)
	}
	return m, err
}

// errOvertaken says that another hub has written to the log first.
var errOvertaken = errors.New("other hubs write to the log all the time: try again")

// repair is one try of Repair.
func (s *Store) repair(ctx context.Context, mend func(log, had []*tasks.State) (reconcile.Mend, error), carryOut bool) (reconcile.Mend, error) {
	end, err := s.shared.take(ctx)
	if err != nil {
		return reconcile.Mend{}, err
	}
	defer end()
	_, marks, err := copied(s.journal.Path())
	if err != nil {
		return reconcile.Mend{}, err
	}
	now, err := s.readLog(ctx, marks)
	if err != nil {
		return reconcile.Mend{}, err
	}
	s.mu.Lock()
	had, hubs, terms := statesOf(s.ledger), slices.Clone(s.ledger.Hubs), s.ledger.Terms
	s.mu.Unlock()
	m, err := mend(statesOf(now.replay.Ledger), had)
	if err != nil || !carryOut {
		return m, err
	}
	for _, hub := range hubs {
		if len(now.replay.Ledger.Hubs) > 0 {
			terms = nil // the log has the terms already
		}
		c, err := now.replay.Ledger.Join(hub, terms)
		if err == nil {
			err = s.appendTo(ctx, now, c)
		}
		if err != nil {
			return m, err
		}
	}
	if at := slices.Index(now.replay.Ledger.Hubs, hubs[s.hub]); at != s.hub {
		return m, fmt.Errorf("hub %d of the session is number %d in Redis: join the session again", s.hub, at)
	}
	return m, s.putInto(ctx, now, m, len(marks)-now.same)
}

// putInto appends a mend to the log, which is then the state of the store. The caller holds the turn.
func (s *Store) putInto(ctx context.Context, now *logged, m reconcile.Mend, lost int) error {
	_, c, err := now.replay.Ledger.Add(m.Add)
	if err == nil {
		err = s.appendTo(ctx, now, c)
	}
	if err != nil {
		return err
	}
	all, err := ledger.Mend(m.States, m.Floor)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := s.appendTo(ctx, now, c); err != nil {
			return err
		}
	}
	s.takeOver(now, max(1, lost))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setApart(nil)
	return nil
}

// appendTo appends a change, nil for none, and carries it out.
func (s *Store) appendTo(ctx context.Context, now *logged, c *ledger.Change) error {
	if c == nil {
		return nil
	}
	data, err := encode(timeNow(), c)
	if err != nil {
		return err
	}
	newer, mine, err := s.shared.log.Append(ctx, now.at, [][]byte{data}, now.at == redislog.Mark{})
	switch {
	case err != nil:
		return err
	case mine == 0:
		return errOvertaken
	}
	return now.apply(newer[0])
}

func statesOf(l *ledger.Ledger) []*tasks.State {
	all := make([]*tasks.State, len(l.Order))
	for i, e := range l.Order {
		all[i] = e.State
	}
	return all
}
