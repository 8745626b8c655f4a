package ledger

import (
	"slices"
	"time"

	"ocaptain/tasks"
)

// stale is the height of an entry whose height must be computed again.
const stale = -1

// Insert puts a checked batch into the ledger.
func (l *Ledger) Insert(at time.Time, b *batch) {
	fresh := make([]*Entry, len(b.Fresh))
	for i, t := range b.Fresh {
		e := &Entry{State: &tasks.State{Task: t}, Origin: t, height: stale}
		e.State.Blocks, e.State.BlockedBy = nil, nil // connect fills them
		e.History = []tasks.Event{{At: at, Kind: Added, Task: t.ID}}
		l.Entries[t.ID] = e
		l.top = max(l.top, tasks.NumberOf(t.ID))
		l.joinGroup(e)
		fresh[i] = e
	}
	l.Order = append(l.Order, fresh...)
	slices.SortFunc(l.Order, func(a, b *Entry) int { return tasks.CompareIDs(a.State.ID, b.State.ID) })
	start := len(l.changed)
	l.changed = append(l.changed, fresh...)
	for i, t := range b.Fresh {
		for _, id := range t.BlockedBy {
			l.addDependency(l.Entries[id], fresh[i])
		}
		for _, id := range t.Blocks {
			l.addDependency(fresh[i], l.Entries[id])
		}
	}
	l.rank(start)
	for _, e := range fresh {
		l.followGroup(e)
	}
}

// rank puts the entries that got new edges back into their queues: all changed entries from index start on, and their
// blockers.
func (l *Ledger) rank(start int) {
	for _, e := range l.spread(slices.Clone(l.changed[start:])) {
		e.measure()
		l.enqueue(e)
	}
}

// joinGroup puts e into its group, if it names one.
func (l *Ledger) joinGroup(e *Entry) {
	name := e.State.Group()
	if name == "" {
		return
	}
	if l.groups[name] == nil {
		l.groups[name] = &group{}
	}
	e.group = l.groups[name]
	e.group.members = append(e.group.members, e)
}

// addDependency makes after wait for before, unless it does already.
func (l *Ledger) addDependency(before, after *Entry) {
	if slices.Contains(before.dependents, after) {
		return
	}
	l.unfold(before)
	l.unfold(after)
	before.dependents = append(before.dependents, after)
	after.blockers = append(after.blockers, before)
	if before.State.Status != tasks.Completed {
		after.open++
	}
	before.State.Blocks = append(before.State.Blocks, after.State.ID)
	after.State.BlockedBy = append(after.State.BlockedBy, before.State.ID)
}

// cutDependency ends the wait of after for before.
func (l *Ledger) cutDependency(before, after *Entry) {
	if before == nil || after == nil || !slices.Contains(before.dependents, after) {
		return
	}
	l.unfold(before)
	l.unfold(after)
	before.dependents = slices.DeleteFunc(before.dependents, func(e *Entry) bool { return e == after })
	after.blockers = slices.DeleteFunc(after.blockers, func(e *Entry) bool { return e == before })
	if before.State.Status != tasks.Completed {
		after.open--
	}
	b, a := before.State.ID, after.State.ID
	before.State.Blocks, after.State.BlockedBy = without(before.State.Blocks, []string{a}), without(after.State.BlockedBy, []string{b})
	// A restatement writes Origin, in which either of the two tasks may name the other.
	before.Origin.Blocks, after.Origin.BlockedBy = without(before.Origin.Blocks, []string{a}), without(after.Origin.BlockedBy, []string{b})
}

// unfold prepares an existing entry for new edges: it takes the entry out of its queue, makes its height stale, and
// gives it a fresh copy of its state.
func (l *Ledger) unfold(e *Entry) {
	if e.height == stale {
		return
	}
	l.removeFromQueue(e)
	s := *e.State
	e.State = &s
	e.height = stale
	l.changed = append(l.changed, e)
}

// spread makes the heights of the entries and of all their blockers stale, takes them out of their queues, and
// returns them all.
func (l *Ledger) spread(all []*Entry) []*Entry {
	for i := 0; i < len(all); i++ {
		for _, b := range all[i].blockers {
			if b.height != stale {
				l.removeFromQueue(b)
				b.height = stale
				all = append(all, b)
			}
		}
	}
	return all
}

// measure returns the height of e. It recurses as deep as the longest chain; Go's stacks grow.
func (e *Entry) measure() int {
	if e.height == stale {
		tallest := 0
		for _, d := range e.dependents {
			tallest = max(tallest, d.measure())
		}
		e.height = tallest + 1
	}
	return e.height
}
