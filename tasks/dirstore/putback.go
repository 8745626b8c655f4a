package dirstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/ledger"
	"ocaptain/tasks/redislog"
)

// putBack appends the entries again that Redis has lost, from this hub's copy. It restores the log exactly: each entry gets its old seal. It
// fails if the log has meanwhile got other entries in their place. The caller holds the turn.
func (s *Store) putBack(ctx context.Context) error {
	h := s.shared
	end, err := h.log.Last(ctx)
	if err != nil {
		return err
	}
	all, marks, err := copied(s.journal.Path())
	if err != nil {
		return err
	}
	at := redislog.Mark{}
	lost := slices.Index(marks, end) + 1
	if lost == 0 && end != at {
		return s.adopt(ctx, all, marks)
	}
	if lost > 0 {
		at = end
	}
	if len(marks) == 0 || marks[len(marks)-1] != h.at {
		return fmt.Errorf("%w, and this hub has no copy of it", redislog.ErrLost)
	}
	for i := lost; i < len(all); i++ {
		data, err := all[i].encode()
		if err != nil {
			return err
		}
		newer, ours, err := h.log.Append(ctx, at, [][]byte{data}, i == 0)
		switch {
		case err != nil:
			return err
		case ours == 0 || newer[0].Mark != marks[i]:
			return fmt.Errorf("%w, and this hub has another copy of it", redislog.ErrLost)
		}
		at = marks[i]
	}
	return nil
}

// A killed Redis may forget what it wrote in its last two seconds, and a little more on a slow disk. If more is
// missing, Redis has started from an older copy.
const (
	mostForgotten = 256              // number of entries, whatever their times
	forgotTime    = 10 * time.Second // time from the first to the last forgotten entry, whatever their number
)

// mayBeForgotten reports whether a Redis that was killed may have forgotten these entries.
func mayBeForgotten(lost []entry) bool {
	if len(lost) <= mostForgotten {
		return true
	}
	first, last := lost[0].At, lost[0].At
	for _, e := range lost {
		if e.At.Before(first) {
			first = e.At
		}
		if e.At.After(last) {
			last = e.At
		}
	}
	return last.Sub(first) <= forgotTime
}

// adopt takes over the log as other hubs have gone on with it, without the last of the given entries. It returns errAdopted when it has. The
// caller holds the turn.
func (s *Store) adopt(ctx context.Context, all []entry, marks []redislog.Mark) error {
	now, err := s.readLog(ctx, marks)
	if err != nil {
		return err
	}
	if now.same == 0 || !mayBeForgotten(all[now.same:]) {
		return fmt.Errorf("%w, and has gone on from there without what this hub has: ocaptain help scale says how to repair that", redislog.ErrLost)
	}
	s.takeOver(now, len(all)-now.same)
	return errAdopted
}

// logged is what a log in Redis holds.
type logged struct {
	replay *ledger.Replay
	at     redislog.Mark // the last entry
	same   int           // how many entries from the first on are those with given marks
}

// readLog reads the whole log, and compares it with the given marks.
func (s *Store) readLog(ctx context.Context, marks []redislog.Mark) (*logged, error) {
	now, n := &logged{replay: ledger.NewReplay()}, 0
	now.replay.Ledger.Wholes = true
	for {
		newer, err := s.shared.log.Read(ctx, now.at)
		if err != nil || len(newer) == 0 {
			return now, err
		}
		for _, e := range newer {
			if err := now.apply(e); err != nil {
				return nil, err
			}
			if now.same == n && n < len(marks) && marks[n] == e.Mark {
				now.same++
			}
			n++
		}
	}
}

// apply carries out an entry of the log.
func (l *logged) apply(e redislog.Entry) error {
	in, err := decode(e)
	if err == nil {
		err = in.apply(l.replay)
	}
	if err != nil {
		return fmt.Errorf("%w: entry %d: %w", redislog.ErrForged, e.Number, err)
	}
	l.at = e.Mark
	return nil
}

// takeOver makes what the log holds the state of the store. lost is how many entries of this hub's the log does not have. The caller holds the
// turn.
func (s *Store) takeOver(now *logged, lost int) {
	h, l := s.shared, now.replay.Ledger
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.ledger.Entries { // no ship gets a claim that looks like a forgotten one
		l.Floor = max(l.Floor, e.State.Epoch)
	}
	s.ledger, s.forgot = l, s.forgot+lost
	s.snapshot, s.current = tasks.Snapshot{}, false // the ids may be others
	h.replay, h.at, h.journal, h.halted = now.replay, now.at, false, nil
}

// errAdopted means that the store has replaced its state by that of other hubs' log.
var errAdopted = errors.New("the log was taken over as others have gone on with it")

// Forgot returns how many entries this hub had that Redis forgot and other hubs have gone on without.
func (s *Store) Forgot() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forgot
}

// copied returns the entries of the log that the journal at path holds, and their marks. It returns none unless the journal has them all,
// from the first.
func copied(path string) (all []entry, marks []redislog.Mark, err error) {
	_, err = journal.Read(path, 0, func(r journal.Record) error {
		switch {
		case r.From == "":
			return nil
		case r.Kind == ledger.Prefix+ledger.Restating:
			all, marks = nil, nil // what follows is the state, and not the entries that led there
			return nil
		}
		m, err := redislog.ParseMark(r.From)
		if err != nil {
			return err
		}
		switch n := len(marks); {
		case n > 0 && marks[n-1] == m:
			all[n-1].Data = append(all[n-1].Data, r.Data)
			return nil
		case m.Number != uint64(n+1):
			all, marks = nil, nil // the journal begins with a restatement, or is damaged
			return nil
		}
		all, marks = append(all, entry{At: r.At, Kind: r.Kind, Data: []json.RawMessage{r.Data}}), append(marks, m)
		return nil
	})
	return all, marks, err
}
