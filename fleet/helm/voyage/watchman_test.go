package voyage

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/guard"
	"ocaptain/fleet/helm/facts"
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
		v.info.CreatedAt = v.info.CreatedAt.Add(-d)
		for _, f := range v.roster.Now().Ships {
			f.Created = f.Created.Add(-d)
		}
	})
}

// clocked gives helm clocks of the test's own: they have run evenly for long, and the calendar can be set
// ahead.
func clocked(h *Set) (ahead func(time.Duration)) {
	var set, ran atomic.Int64
	ran.Store(int64(time.Hour))
	h.calendar.mu.Lock()
	began := time.Now()
	h.calendar.clock = guard.Clock{}
	h.calendar.clock.Compare(began, 0)
	h.calendar.clock.Compare(began.Add(time.Hour), time.Hour)
	h.calendar.read = func() (time.Time, time.Duration) {
		now := time.Duration(ran.Load())
		return began.Add(now + time.Duration(set.Load())), now
	}
	h.calendar.mu.Unlock()
	return func(by time.Duration) {
		set.Add(int64(by))
		h.calendar.readClock()
		if by < 0 { // and some time later
			ran.Add(int64(time.Hour))
		}
	}
}

// looking has helm look until something is true of the voyage.
func (v *Voyage) looking(t *testing.T, what string, ok func() bool) {
	t.Helper()
	eventually.Holds(t, what, func() bool {
		changes(v, func() { v.watch = facts.Watch{} })
		v.keepWatch(time.Now(), time.Second)
		return ok()
	})
}

// openUnwatched opens a voyage whose costs helm looks at when the test says so: the test has a clock of its own.
func openUnwatched(t *testing.T, h *Set, d fleet.Dir) *Voyage {
	t.Helper()
	v := openStill(t, h, d)
	v.startWork()
	return v
}

// out lists the ships that there are.
func (v *Voyage) out() string {
	return reads(v, func() string {
		var names []string
		for _, f := range v.roster.Now().Ships {
			names = append(names, f.Name)
		}
		return strings.Join(names, " ")
	})
}

func (v *Voyage) told(text string) bool {
	return slices.ContainsFunc(reads(v, v.notes.List), func(n fleet.Note) bool { return strings.Contains(n.Ship+": "+n.Text, text) })
}
