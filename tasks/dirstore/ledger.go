package dirstore

import (
	"slices"
	"strconv"
	"time"

	"ocaptain/tasks"
)

// ledger is the state of all tasks in memory and the rules of changing it. It
// does no I/O and knows no locks; a change costs the same however many tasks there are.
type ledger struct {
	entries  map[string]*entry
	order    []*entry // of CompareIDs
	groups   map[string]*group
	free     *queue              // ready, for anybody
	reserved map[string]*queue   // ready, for the owner who alone may claim it
	delayed  *queue              // ready but for their NotBefore
	held     map[string][]*entry // claims of each owner, oldest first
	top      uint64              // highest number that was an id
	floor    uint64              // epochs are granted above it
	wholes   bool                // a task waits for its parts; see Store.WaitForParts
	changed  []*entry            // since the last take
}

// entry is one task in the ledger.
type entry struct {
	state      *tasks.State // replaced and never changed, since snapshots share it
	origin     tasks.Task   // as it was added
	blockers   []*entry
	dependents []*entry
	open       int // blockers that are not completed
	height     int // tasks on the longest chain that starts here, stale when not yet known
	group      *group
	queue      *queue // where it waits to be claimed, nil when it cannot be
	history    []tasks.Event
}

// group is a set of tasks that one owner claims together.
type group struct {
	holder  string // owner for whom the group is reserved, "" for nobody
	members []*entry
}

func newLedger() *ledger {
	return &ledger{
		entries:  map[string]*entry{},
		groups:   map[string]*group{},
		free:     &queue{order: compareReady},
		reserved: map[string]*queue{},
		delayed:  &queue{order: soonest},
		held:     map[string][]*entry{},
	}
}

// takeChanged returns the entries that changed since it was last called.
func (l *ledger) takeChanged() []*entry {
	changed := l.changed
	l.changed = nil
	return changed
}

// change replaces the state of e by a copy that edit has changed, and puts e where
// it then belongs.
func (l *ledger) change(e *entry, edit func(s *tasks.State)) {
	l.removeFromQueue(e)
	s := *e.state
	edit(&s)
	e.state = &s
	l.enqueue(e)
	l.changed = append(l.changed, e)
}

// removeFromQueue takes e out of its queue.
func (l *ledger) removeFromQueue(e *entry) {
	if e.queue != nil {
		e.queue.remove(e)
	}
}

// enqueue puts e into the queue that it belongs to, if any.
func (l *ledger) enqueue(e *entry) {
	switch {
	case e.state.Status != tasks.Pending || e.open > 0 || e.state.OnHold || e.state.Approved():
	case !e.state.NotBefore.IsZero():
		l.delayed.insert(e)
	default:
		l.readyQueue(e).insert(e)
	}
}

// readyQueue is the queue of e once nothing holds it back.
func (l *ledger) readyQueue(e *entry) *queue {
	holder := e.state.ReservedFor
	if holder == "" {
		return l.free
	}
	q := l.reserved[holder]
	if q == nil {
		q = &queue{order: compareReady}
		l.reserved[holder] = q
	}
	return q
}

// promote makes the tasks ready whose delay is over.
func (l *ledger) promote(now time.Time) {
	l.delayed.sorted = slices.DeleteFunc(l.delayed.sorted, func(e *entry) bool {
		over := e.state.RemainingDelay(now) == 0
		if over {
			l.readyQueue(e).insert(e)
		}
		return over
	})
}

// choices returns the ids of at most n tasks that owner could claim, best first.
func (l *ledger) choices(owner string, n int) []string {
	var ids []string
	for _, q := range []*queue{l.reserved[owner], l.free} {
		if q == nil {
			continue
		}
		for _, e := range q.sorted[:min(n-len(ids), len(q.sorted))] {
			ids = append(ids, e.state.ID)
		}
	}
	return ids
}

// choose returns what owner should do next: what it holds already, or the best
// task that it could claim, or nil.
func (l *ledger) choose(owner string) *entry {
	if held := l.held[owner]; len(held) > 0 {
		return held[len(held)-1]
	}
	if e := l.reserved[owner].first(); e != nil {
		return e
	}
	return l.free.first()
}

// reserve gives the group to holder, "" for nobody.
func (l *ledger) reserve(g *group, holder string) {
	if g == nil {
		return
	}
	g.holder = holder
	for _, e := range g.members {
		l.followGroup(e)
	}
}

// followGroup writes into e's state for whom its group is reserved. Without a group the state says itself for whom e is.
func (l *ledger) followGroup(e *entry) {
	if e.group == nil {
		return
	}
	holder := ""
	if e.state.Status == tasks.Pending && e.state.HandIn == nil {
		holder = e.group.holder
	}
	if e.state.ReservedFor != holder {
		l.change(e, func(s *tasks.State) { s.ReservedFor = holder })
	}
}

// release takes the claim on e out of its owner's hands.
func (l *ledger) release(e *entry) {
	owner := e.state.Owner
	left := slices.DeleteFunc(l.held[owner], func(other *entry) bool { return other == e })
	if l.held[owner] = left; len(left) == 0 {
		delete(l.held, owner)
	}
}

// number reads an id as a number, as Claude Code does for its next id; 0 for a word.
func number(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 53) // beyond 53 bits JavaScript cannot count
	return n
}
