package tasks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// State is a task with what the store knows beyond the task file.
//
// Its JSON form is that of the task with one more field, "store", for the rest.
type State struct {
	Task
	Hub         int       // number of the hub whose ship has it or had it last, where several share the tasks: 0 for the first
	Epoch       uint64    // of the last grant; 0 when never claimed
	ReservedFor string    // the only owner who may claim it, "" for any owner
	NotBefore   time.Time // the task cannot be claimed before this time; see RemainingDelay
	RequeuedAt  time.Time // when NotBefore or OnHold was set
	OnHold      bool      // not claimable until it is requeued; Reason says why
	HeldBy      string    // who put it on hold, "" when it is not
	Commit      string    // the commit that merged the work, "" for none
	Empty       bool      // the merged work changed nothing
	Reason      string    // of the last requeue
	From        string    // the owner before the last requeue, "" for none
	Attempts    int       // claims so far
	ClaimedAt   time.Time
	CompletedAt time.Time
	HandIn      *HandIn // nil for none
	On          string  // the commit in review that the claimed work builds on, "" when it builds on the branch; see Under
	Draft       string  // the commit of work that a reviewer rejected or that was interrupted, "" for none; the next claim continues it
	Rejections  int     // how often handed-in work was rejected
	Resumes     int     // how often work was interrupted, to be continued later
	Proposed    int     // how many tasks an agent proposes to split this task into, while the captain decides; 0 for none
	Cancelled   bool    // by the captain, for the cause in Reason; counts as completed
}

// IsQueued reports whether any owner may claim the task once its blockers are completed and its delay is over.
func (s *State) IsQueued() bool { return s.Status == Pending && !s.OnHold && s.ReservedFor == "" }

// MostStep is how far a time server may set back a clock that was right.
const MostStep = time.Minute

// RemainingDelay returns for how long the task cannot be claimed, 0 when it can. A delay that was set at a time in
// the future came from a wrong clock, and counts as over.
func (s *State) RemainingDelay(now time.Time) time.Duration {
	if s.NotBefore.IsZero() || s.RequeuedAt.Sub(now) > MostStep {
		return 0
	}
	return max(0, s.NotBefore.Sub(now))
}

// stored is the wire form of a State's own fields.
type stored struct {
	Hub         int       `json:"hub,omitempty"`
	Epoch       uint64    `json:"epoch,omitempty"`
	ReservedFor string    `json:"reservedFor,omitempty"`
	NotBefore   time.Time `json:"notBefore,omitzero"`
	RequeuedAt  time.Time `json:"requeuedAt,omitzero"`
	OnHold      bool      `json:"onHold,omitempty"`
	HeldBy      string    `json:"heldBy,omitempty"`
	Commit      string    `json:"commit,omitempty"`
	Empty       bool      `json:"empty,omitempty"`
	Reason      string    `json:"reason,omitempty"`
	From        string    `json:"from,omitempty"`
	Attempts    int       `json:"attempts,omitempty"`
	ClaimedAt   time.Time `json:"claimedAt,omitzero"`
	CompletedAt time.Time `json:"completedAt,omitzero"`
	HandIn      *HandIn   `json:"handIn,omitempty"`
	On          string    `json:"on,omitempty"`
	Draft       string    `json:"draft,omitempty"`
	Rejections  int       `json:"rejections,omitempty"`
	Resumes     int       `json:"resumes,omitempty"`
	Proposed    int       `json:"proposed,omitempty"`
	Cancelled   bool      `json:"cancelled,omitempty"`
}

// storeField is the key of a State's own fields.
const storeField = "store"

// JSON has the fields of the JSON that State.MarshalJSON writes, so that a schema can be made from it. The task's
// Extra fields come on top.
type JSON struct {
	file
	Store stored `json:"store"`
}

// MarshalJSON writes the task's fields and then the store's.
func (s State) MarshalJSON() ([]byte, error) {
	own, err := Marshal(stored{
		s.Hub, s.Epoch, s.ReservedFor, s.NotBefore, s.RequeuedAt, s.OnHold, s.HeldBy, s.Commit, s.Empty, s.Reason, s.From, s.Attempts, s.ClaimedAt, s.CompletedAt,
		s.HandIn, s.On, s.Draft, s.Rejections, s.Resumes, s.Proposed, s.Cancelled,
	})
	if err != nil {
		return nil, err
	}
	t := s.Clone()
	if t.Extra == nil {
		t.Extra = map[string]json.RawMessage{}
	}
	t.Extra[storeField] = own
	return t.MarshalJSON()
}

// Snapshot is the state of all tasks at one moment, in the order of CompareIDs.
type Snapshot struct {
	Seq      uint64   `json:"seq"`                // grows with every change
	Tasks    []*State `json:"tasks"`              // shared between snapshots: read only
	Problems []string `json:"problems,omitempty"` // files and records that could not be used, in words

	place map[string]int // index of each id in Tasks
	index *index         // nil in a Snapshot made without NewSnapshot
}

// index holds answers that callers often ask of a snapshot. Each is computed when it is first asked.
type index struct {
	once sync.Once
	open []*State
	held map[string]*State

	counted sync.Once // separate from the others, as most voyages have no parts
	parts   map[string]int
}

// NewSnapshot makes a snapshot of tasks that are already in order.
func NewSnapshot(seq uint64, all []*State, problems []string) Snapshot {
	place := make(map[string]int, len(all))
	for i, t := range all {
		place[t.ID] = i
	}
	return Snapshot{seq, all, problems, place, new(index)}
}

// WithTasks returns the snapshot after s. It must have the same ids in the same order.
func (s Snapshot) WithTasks(seq uint64, all []*State, problems []string) Snapshot {
	return Snapshot{seq, all, problems, s.place, new(index)}
}

// UnmarshalJSON reads a snapshot from disk.
func (s *Snapshot) UnmarshalJSON(data []byte) error {
	type plain Snapshot
	var read plain
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	for _, t := range read.Tasks {
		if t == nil {
			return fmt.Errorf("snapshot holds a null task")
		}
	}
	*s = NewSnapshot(read.Seq, read.Tasks, read.Problems)
	return nil
}

// Task returns the task with that id, or nil.
func (s Snapshot) Task(id string) *State {
	if i, ok := s.place[id]; ok {
		return s.Tasks[i]
	}
	return nil
}

// Open returns the tasks that are not completed. The caller must not change the list.
func (s Snapshot) Open() []*State { return s.indexed().open }

// Held returns the task that an owner works on, or nil.
func (s Snapshot) Held(owner string) *State { return s.indexed().held[owner] }

// Parts counts the open parts of each task that has parts. The caller must not change the map.
func (s Snapshot) Parts() map[string]int {
	x := cmp.Or(s.index, new(index))
	x.counted.Do(func() {
		x.parts = map[string]int{}
		for _, t := range s.Tasks {
			if id := t.Parent(); id == "" {
				continue
			} else if t.Status == Completed {
				x.parts[id] += 0
			} else {
				x.parts[id]++
			}
		}
	})
	return x.parts
}

func (s Snapshot) indexed() *index {
	x := cmp.Or(s.index, new(index))
	x.once.Do(func() {
		x.held = map[string]*State{}
		for _, t := range s.Tasks {
			if t.Status == Completed {
				continue
			}
			x.open = append(x.open, t)
			if t.Status == InProgress && x.held[t.Owner] == nil {
				x.held[t.Owner] = t
			}
		}
	})
	return x
}

// CancelledWith lists what is cancelled together with a task: its open parts, and all tasks that wait for any of these, since
// their blockers will never be done. They are in the order in which to cancel them: waiting tasks before their blockers, and parts
// after their parent, so that no cancelled task makes another ready or completes a parent.
func CancelledWith(all []*State, id string) []string {
	open, waiting, parts := map[string]bool{}, map[string][]string{}, map[string][]string{}
	for _, t := range all {
		if t.Status == Completed {
			continue
		}
		open[t.ID] = true
		for _, b := range t.BlockedBy {
			waiting[b] = append(waiting[b], t.ID)
		}
		parts[t.Parent()] = append(parts[t.Parent()], t.ID)
	}
	var list []string
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		for _, id := range waiting[id] {
			visit(id)
		}
		if open[id] {
			list = append(list, id)
		}
		for _, id := range parts[id] {
			visit(id)
		}
	}
	visit(id)
	return list
}

// Blockers returns the ids that keep t from being ready: blockers that are unknown or not completed. If t is reserved for an owner
// who may build on work in review, it returns nil; see Under.
func (s Snapshot) Blockers(t *State) []string {
	var ids []string
	var open []*State
	for _, id := range t.BlockedBy {
		if b := s.Task(id); b == nil || b.Status != Completed {
			ids, open = append(ids, id), append(open, b)
		}
	}
	if len(ids) > 0 {
		if _, ok := Under(t, open, t.ReservedFor); ok {
			return nil
		}
	}
	return ids
}

// Under returns the commit in review that work on t may build on before its blockers are completed. ok is true when all
// open blockers are in review, belong to the same group and owner, and each builds on the work of the one before.
func Under(t *State, open []*State, owner string) (commit string, ok bool) {
	if t.HandIn != nil || t.Group() == "" || owner == "" || len(open) == 0 {
		return "", false
	}
	for _, b := range open {
		if b == nil || !b.InReview() || b.Group() != t.Group() || b.HandIn.Owner != owner {
			return "", false
		}
	}
	open = slices.Clone(open)
	slices.SortFunc(open, func(a, b *State) int { return a.HandIn.At.Compare(b.HandIn.At) })
	for i, b := range open[1:] {
		if b.HandIn.On != open[i].HandIn.Commit {
			return "", false
		}
	}
	return open[len(open)-1].HandIn.Commit, true
}
