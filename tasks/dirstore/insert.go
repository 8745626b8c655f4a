package dirstore

import (
	"slices"
	"time"

	"ocaptain/tasks"
)

// stale is the height of an entry that has to be measured again.
const stale = -1

// insert puts a checked batch into the ledger.
func (l *ledger) insert(at time.Time, b *batch) {
	fresh := make([]*entry, len(b.fresh))
	for i, t := range b.fresh {
		e := &entry{state: &tasks.State{Task: t}, origin: t, height: stale}
		e.state.Blocks, e.state.BlockedBy = nil, nil // linking fills them
		e.history = []tasks.Event{{At: at, Kind: added, Task: t.ID}}
		l.entries[t.ID] = e
		l.top = max(l.top, number(t.ID))
		l.joinGroup(e)
		fresh[i] = e
	}
	l.order = append(l.order, fresh...)
	slices.SortFunc(l.order, func(a, b *entry) int { return tasks.CompareIDs(a.state.ID, b.state.ID) })
	start := len(l.changed)
	l.changed = append(l.changed, fresh...)
	for i, t := range b.fresh {
		for _, id := range t.BlockedBy {
			l.addDependency(l.entries[id], fresh[i])
		}
		for _, id := range t.Blocks {
			l.addDependency(fresh[i], l.entries[id])
		}
	}
	l.rank(start)
	for _, e := range fresh {
		l.followGroup(e)
	}
}

// rank puts the entries into their queues that got edges, all that have changed from start on, and what they wait for.
func (l *ledger) rank(start int) {
	for _, e := range l.spread(slices.Clone(l.changed[start:])) {
		e.measure()
		l.enqueue(e)
	}
}

// joinGroup puts e into its group, if it names one.
func (l *ledger) joinGroup(e *entry) {
	name := e.state.Group()
	if name == "" {
		return
	}
	if l.groups[name] == nil {
		l.groups[name] = &group{}
	}
	e.group = l.groups[name]
	e.group.members = append(e.group.members, e)
}

// addDependency makes after wait for before, once.
func (l *ledger) addDependency(before, after *entry) {
	if slices.Contains(before.dependents, after) {
		return
	}
	l.unfold(before)
	l.unfold(after)
	before.dependents = append(before.dependents, after)
	after.blockers = append(after.blockers, before)
	if before.state.Status != tasks.Completed {
		after.open++
	}
	before.state.Blocks = append(before.state.Blocks, after.state.ID)
	after.state.BlockedBy = append(after.state.BlockedBy, before.state.ID)
}

// unfold prepares an old entry for new edges: out of its queue, its height stale,
// its state a copy that nobody has seen.
func (l *ledger) unfold(e *entry) {
	if e.height == stale {
		return
	}
	l.removeFromQueue(e)
	s := *e.state
	e.state = &s
	e.height = stale
	l.changed = append(l.changed, e)
}

// spread makes the heights stale of all that the entries wait for, and returns
// them all, out of their queues.
func (l *ledger) spread(all []*entry) []*entry {
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

// measure returns the height of e. Chains are as deep as the plan, which Go's
// growing stacks take.
func (e *entry) measure() int {
	if e.height == stale {
		tallest := 0
		for _, d := range e.dependents {
			tallest = max(tallest, d.measure())
		}
		e.height = tallest + 1
	}
	return e.height
}
