// Package ledger judges every operation of a store of tasks: from the state of all tasks it decides what changes, and it reads a journal of such
// changes back. It knows no lock, no clock and no directory.
package ledger

import (
	"slices"
	"time"

	"ocaptain/tasks"
)

// Ledger is the state of all tasks in memory and the rules of changing it. It
// does no I/O and knows no locks; a change costs the same however many tasks there are.
type Ledger struct {
	Entries  map[string]*Entry
	Order    []*Entry // of CompareIDs
	groups   map[string]*group
	free     *queue              // ready, for anybody
	reserved map[string]*queue   // ready, for the owner who alone may claim it
	delayed  *queue              // ready but for their NotBefore
	held     map[string][]*Entry // claims of each owner, oldest first
	top      uint64              // highest number that was an id
	Floor    uint64              // epochs are granted above it
	Wholes   bool                // a task waits for its parts; see Store.WaitForParts
	changed  []*Entry            // since the last take
}

// Entry is one task in the ledger.
type Entry struct {
	State      *tasks.State // replaced and never changed, since snapshots share it
	Origin     tasks.Task   // as it was added
	blockers   []*Entry
	dependents []*Entry
	open       int // blockers that are not completed
	height     int // tasks on the longest chain that starts here, stale when not yet known
	group      *group
	queue      *queue // where it waits to be claimed, nil when it cannot be
	History    []tasks.Event
}

// group is a set of tasks that one owner claims together.
type group struct {
	holder  string // owner for whom the group is reserved, "" for nobody
	members []*Entry
}

func newLedger() *Ledger {
	return &Ledger{
		Entries:  map[string]*Entry{},
		groups:   map[string]*group{},
		free:     &queue{order: compareReady},
		reserved: map[string]*queue{},
		delayed:  &queue{order: soonest},
		held:     map[string][]*Entry{},
	}
}

// TakeChanged returns the entries that changed since it was last called.
func (l *Ledger) TakeChanged() []*Entry {
	changed := l.changed
	l.changed = nil
	return changed
}

// change replaces the state of e by a copy that edit has changed, and puts e where
// it then belongs.
func (l *Ledger) change(e *Entry, edit func(s *tasks.State)) {
	l.removeFromQueue(e)
	s := *e.State
	edit(&s)
	e.State = &s
	l.enqueue(e)
	l.changed = append(l.changed, e)
}

// removeFromQueue takes e out of its queue.
func (l *Ledger) removeFromQueue(e *Entry) {
	if e.queue != nil {
		e.queue.remove(e)
	}
}

// enqueue puts e into the queue that it belongs to, if any.
func (l *Ledger) enqueue(e *Entry) {
	switch {
	case e.State.Status != tasks.Pending || e.open > 0 || e.State.OnHold || e.State.Approved():
	case !e.State.NotBefore.IsZero():
		l.delayed.insert(e)
	default:
		l.readyQueue(e).insert(e)
	}
}

// readyQueue is the queue of e once nothing holds it back.
func (l *Ledger) readyQueue(e *Entry) *queue {
	holder := e.State.ReservedFor
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
func (l *Ledger) promote(now time.Time) {
	l.delayed.sorted = slices.DeleteFunc(l.delayed.sorted, func(e *Entry) bool {
		over := e.State.RemainingDelay(now) == 0
		if over {
			l.readyQueue(e).insert(e)
		}
		return over
	})
}

// choices returns the ids of at most n tasks that owner could claim, best first.
func (l *Ledger) choices(owner string, n int) []string {
	var ids []string
	for _, q := range []*queue{l.reserved[owner], l.free} {
		if q == nil {
			continue
		}
		for _, e := range q.sorted[:min(n-len(ids), len(q.sorted))] {
			ids = append(ids, e.State.ID)
		}
	}
	return ids
}

// choose returns what owner should do next: what it holds already, or the best
// task that it could claim, or nil.
func (l *Ledger) choose(owner string) *Entry {
	if held := l.held[owner]; len(held) > 0 {
		return held[len(held)-1]
	}
	if e := l.reserved[owner].first(); e != nil {
		return e
	}
	return l.free.first()
}

// reserve gives the group to holder, "" for nobody.
func (l *Ledger) reserve(g *group, holder string) {
	if g == nil {
		return
	}
	g.holder = holder
	for _, e := range g.members {
		l.followGroup(e)
	}
}

// followGroup writes into e's state for whom its group is reserved. Without a group the state says itself for whom e is.
func (l *Ledger) followGroup(e *Entry) {
	if e.group == nil {
		return
	}
	holder := ""
	if e.State.Status == tasks.Pending && e.State.HandIn == nil {
		holder = e.group.holder
	}
	if e.State.ReservedFor != holder {
		l.change(e, func(s *tasks.State) { s.ReservedFor = holder })
	}
}

// release takes the claim on e out of its owner's hands.
func (l *Ledger) release(e *Entry) {
	owner := e.State.Owner
	left := slices.DeleteFunc(l.held[owner], func(other *Entry) bool { return other == e })
	if l.held[owner] = left; len(left) == 0 {
		delete(l.held, owner)
	}
}

// TaskForFile is the task as its file shows it.
func (e *Entry) TaskForFile() tasks.Task {
	t := e.State.Task
	own := map[string]any{}
	if e.State.Epoch > 0 {
		own["epoch"] = e.State.Epoch
	}
	if e.State.Commit != "" {
		own["commit"] = e.State.Commit
	}
	if len(own) > 0 {
		t.Metadata = tasks.MergeMetadata(t.Metadata, map[string]any{tasks.Reserved: own})
	}
	return t
}
