package dirstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"ocaptain/tasks/journal"
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
		return fmt.Errorf("%w, and has gone on from there without what this hub has", redislog.ErrLost)
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
		newer, ours, err := h.log.Append(ctx, at, data, i == 0)
		switch {
		case err != nil:
			return err
		case !ours || newer[0].Mark != marks[i]:
			return fmt.Errorf("%w, and this hub has another copy of it", redislog.ErrLost)
		}
		at = marks[i]
	}
	return nil
}

// copied returns the entries of the log that the journal at path holds, and their marks. It returns none unless the journal has them all,
// from the first.
func copied(path string) (all []entry, marks []redislog.Mark, err error) {
	_, err = journal.Read(path, 0, func(r journal.Record) error {
		if r.From == "" {
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
