// Package ledger judges every operation of a task store: from the state of all tasks it decides what changes, and it rebuilds that state
// from a journal of changes. It knows no lock, no clock and no directory.
package ledger

import (
	"encoding/json"
	"slices"
	"time"

	"ocaptain/tasks"
)

// Ledger holds the state of all tasks in memory, and changes it by the rules. It does no I/O and has no lock. The
// cost of a change does not grow with the number of tasks.
type Ledger struct {
	Entries  map[string]*Entry
	Order    []*Entry // in the order of CompareIDs
	groups   map[string]*group
	free     *queue              // ready tasks that any owner may claim
	reserved map[string]*queue   // ready tasks, by the owner for whom they are reserved
	delayed  *queue              // tasks that are ready except for their NotBefore
	held     map[string][]*Entry // claims of each owner, oldest first
	top      uint64              // the highest number used as an id
	Floor    uint64              // the next epoch is higher than this
	Hubs     []string            // the hubs that share the tasks, in the order in which they joined
	Heard    map[int]uint64      // by number of a hub: how often it has said that it is there
	Terms    json.RawMessage     // what the first hub wrote for hubs that join later, nil for nothing
	Wholes   bool                // a task waits for its parts; see dirstore's WaitForParts
	changed  []*Entry            // the entries that changed since the last TakeChanged
	together *Independent        // the set that is open, nil for none
}

// Entry is one task in the ledger.
type Entry struct {
	State      *tasks.State // replaced, never changed in place, since snapshots share it
	Origin     tasks.Task   // the task when it was added
	blockers   []*Entry
	dependents []*Entry
	open       int // the number of blockers that are not completed
	height     int // the length of the longest chain that starts here, in tasks; may be stale
	group      *group
	queue      *queue // the queue that holds e, nil when the task cannot be claimed
	aside      bool   // claimed in the open Independent, or in the group of such a task
	History    []tasks.Event
}

// group is a set of tasks that one owner claims together.
type group struct {
	holder  string // the owner for whom the group is reserved, "" for none
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
		Heard:    map[int]uint64{},
	}
}

// TakeChanged returns the entries that changed since the last call.
func (l *Ledger) TakeChanged() []*Entry {
	changed := l.changed
	l.changed = nil
	return changed
}

// change replaces the state of e by an edited copy, and moves e to the right queue.
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

// enqueue puts e into its queue, if it has any.
func (l *Ledger) enqueue(e *Entry) {
	switch {
	case e.State.Status != tasks.Pending || e.open > 0 || e.State.OnHold || e.State.Approved():
	case !e.State.NotBefore.IsZero():
		l.delayed.insert(e)
	default:
		l.readyQueue(e).insert(e)
	}
}

// readyQueue returns the queue that e belongs in when it is ready.
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

// promote moves tasks whose delay is over to the queues of ready tasks.
func (l *Ledger) promote(now time.Time) {
	l.delayed.sorted = slices.DeleteFunc(l.delayed.sorted, func(e *Entry) bool {
		over := e.State.RemainingDelay(now) == 0
		if over {
			l.readyQueue(e).insert(e)
		}
		return over
	})
}

// choices returns the ids of up to n tasks that owner could claim, best first.
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

// choose returns the next task for owner: the task that it claimed last and still holds, else the best task that it
// could claim, else nil.
func (l *Ledger) choose(owner string) *Entry {
	if held := l.held[owner]; len(held) > 0 {
		return held[len(held)-1]
	}
	may := func(e *Entry) bool { return !e.State.InReview() && !l.isAside(e, owner) }
	if e := l.reserved[owner].first(may); e != nil {
		return e
	}
	return l.free.first(may)
}

// reserve reserves the group for holder, "" for none.
func (l *Ledger) reserve(g *group, holder string) {
	if g == nil {
		return
	}
	g.holder = holder
	for _, e := range g.members {
		l.followGroup(e)
	}
}

// followGroup gives e the reservation of its group. A task without a group keeps its own.
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

// release removes e from the claims of its owner.
func (l *Ledger) release(e *Entry) {
	owner := e.State.Owner
	left := slices.DeleteFunc(l.held[owner], func(other *Entry) bool { return other == e })
	if l.held[owner] = left; len(left) == 0 {
		delete(l.held, owner)
	}
}

// TaskForFile returns the task in the form that its file shows.
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
