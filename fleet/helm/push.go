package helm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/link"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// snapshots keeps a copy of the ship's unmerged work on the hub: often while it
// changes, seldom while it rests.
func (s *ship) snapshots(ctx context.Context) {
	const least, most = 3 * time.Second, 30 * time.Second
	pause, failed := least, 0
	for sleep(ctx, pause) == nil {
		t := held(s.v.store.Snapshot(), s.name)
		if t == nil || time.Since(t.ClaimedAt) < least { // a tree that was just checked out has nothing new
			pause = least
			continue
		}
		if s.tree.Lock(ctx) != nil {
			return
		}
		limit, cancel := context.WithTimeout(ctx, treeTime)
		snap, err := s.v.work.Snapshot(limit, s, s.name)
		cancel()
		s.tree.Unlock()
		if err != nil {
			if ctx.Err() == nil {
				s.v.log.Warn("snapshot", "ship", s.name, "error", err)
				var exit *link.ExitError
				if failed++; failed == 2 || errors.As(err, &exit) { // else it may be a matter of the moment
					why, _, _ := strings.Cut(clean(err.Error(), 300), "\n")
					s.v.note(fleet.Note{Ship: s.name, Task: t.ID, Text: "its unmerged work cannot be copied home, what came before stays: " + why})
				}
			}
			pause = min(most, 2*pause)
			continue
		}
		failed = 0
		s.v.mu.Lock()
		same := s.adrift(snap)
		s.v.mu.Unlock()
		pause = least
		if same {
			pause = min(most, 2*pause)
		}
	}
}

// adrift takes down a copy of the ship's tree and what there is beside it, and reports whether it is what it
// was. The caller holds v.mu.
func (s *ship) adrift(snap sync.Snapshot) (same bool) {
	now := fleet.Unmerged{Changed: snap.Changed, Sides: snap.Sides, Stashed: snap.Stashed}
	same = s.live == snap.Commit && s.drift.Stashed == now.Stashed && slices.Equal(s.drift.Sides, now.Sides)
	s.live, s.drift = snap.Commit, now
	if !same {
		s.v.touchLocked()
	}
	return same
}

// pushTasks keeps the ship's view of the task list up to date. A ship that refuses is
// given the whole list again a while later.
func (s *ship) pushTasks(ctx context.Context, conn *wire.Conn) {
	for {
		err := s.pushChanges(ctx, conn)
		var refused *wire.Error
		if !errors.As(err, &refused) {
			return
		}
		s.v.note(fleet.Note{Ship: s.name, Text: "its task list cannot be kept up to date: " + clean(err.Error(), maxText)})
		if sleep(ctx, 10*time.Second) != nil {
			return
		}
	}
}

func (s *ship) pushChanges(ctx context.Context, conn *wire.Conn) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sent := map[string]*tasks.State{}
	first := true
	for snap := range s.v.store.Watch(ctx) {
		var part []tasks.Task
		for _, t := range snap.Tasks {
			if sent[t.ID] != t {
				sent[t.ID] = t
				part = append(part, t.Task)
			}
		}
		for first || len(part) > 0 {
			n := fitting(part)
			up := aboard.TaskUpdate{Full: first, More: first && n < len(part), Tasks: part[:n]}
			part = part[n:]
			if !up.More {
				first = false
			}
			if err := conn.Call(ctx, aboard.MethodTasks, up, nil); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// fitting is how many of the tasks go into one message: some hundred, and half of what
// a message may have unless one task alone is more.
func fitting(all []tasks.Task) int {
	const most, bytes = 200, wire.MaxMessage / 2
	size := 0
	for i, t := range all {
		raw, _ := json.Marshal(t) // what does not marshal fails when it is sent
		if size += len(raw) + 1; i == most || i > 0 && size > bytes {
			return i
		}
	}
	return len(all)
}
