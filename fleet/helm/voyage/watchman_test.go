package voyage

import (
	"slices"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/guard"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// after makes a task that others block.
func after(t tasks.Task, blockers ...string) tasks.Task {
	t.BlockedBy = blockers
	return t
}

// aged makes all ships, and the voyage, so much older.
func (v *Voyage) aged(d time.Duration) {
	changes(v, func() {
		v.Info.CreatedAt = v.Info.CreatedAt.Add(-d)
		for _, f := range v.Roster.Now().Ships {
			f.Created = f.Created.Add(-d)
		}
	})
}

// clocked gives helm clocks of the test's own: they have run evenly for long, and the calendar can be set
// ahead.
func clocked(h *helm) (ahead func(time.Duration)) {
	var mu gosync.Mutex
	began, set, ran := time.Now(), time.Duration(0), time.Hour
	var clock guard.Clock
	clock.Compare(began, 0)
	clock.Compare(began.Add(ran), ran)
	h.Clock = func() guard.Clock {
		mu.Lock()
		defer mu.Unlock()
		clock.Compare(began.Add(ran+set), ran)
		return clock
	}
	return func(by time.Duration) {
		mu.Lock()
		set += by
		mu.Unlock()
		h.Clock()
		if by < 0 { // and some time later
			mu.Lock()
			ran += time.Hour
			mu.Unlock()
		}
	}
}

// looking has helm look until something is true of the voyage.
func (v *Voyage) looking(t *testing.T, what string, ok func() bool) {
	t.Helper()
	eventually.Holds(t, what, func() bool {
		changes(v, func() { v.watchman = newWatchman(v) }) // which leaves no ship alone
		v.watchman.Look(time.Now(), time.Second)
		return ok()
	})
}

// openUnwatched opens a voyage whose costs helm looks at when the test says so: the test has a clock of its own.
func openUnwatched(t *testing.T, h *helm, d fleet.Dir) *Voyage {
	t.Helper()
	v := openStill(t, h, d)
	v.startWork()
	return v
}

// out lists the ships that there are.
func (v *Voyage) out() string {
	return reads(v, func() string {
		var names []string
		for _, f := range v.Roster.Now().Ships {
			names = append(names, f.Name)
		}
		return strings.Join(names, " ")
	})
}

func (v *Voyage) told(text string) bool {
	return slices.ContainsFunc(reads(v, v.Notes.List), func(n fleet.Note) bool { return strings.Contains(n.Ship+": "+n.Text, text) })
}
