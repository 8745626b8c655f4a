package ledger

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ocaptain/tasks"
)

// maxTerms is the most that the first hub may say to others, in bytes of JSON.
const maxTerms = 1 << 20

// maxTask is the largest task, in bytes of JSON.
const maxTask = 512 << 10

// batch is a set of new tasks that fits the ledger.
type batch struct {
	Ids   []string     // all requested tasks, in order
	Fresh []tasks.Task // the tasks that the ledger does not have yet
}

// Add judges new tasks. It returns the ids of all of them; the change is nil when the ledger already has all of them.
func (l *Ledger) Add(add []tasks.Task) (ids []string, c *Change, err error) {
	b, err := l.NewBatch(add)
	if err != nil {
		return nil, nil, err
	}
	if len(b.Fresh) > 0 {
		c = &Change{Kind: Added, Batch: b}
	}
	return b.Ids, c, nil
}

// Join judges the request of a hub to share the tasks. The change is nil when the hub already shares them. The first hub may
// write terms for hubs that join later.
func (l *Ledger) Join(hub string, terms json.RawMessage) (*Change, error) {
	switch {
	case hub == "" || len(hub) > maxOwner:
		return nil, errHub
	case len(terms) > 0 && len(l.Hubs) > 0:
		return nil, errTerms
	case len(terms) > maxTerms:
		return nil, fmt.Errorf("what a session says to other hubs has %d bytes, and %d can be: shorten spec.md or verify.sh", len(terms), maxTerms)
	case slices.Contains(l.Hubs, hub):
		return nil, nil
	case len(l.Hubs) == MaxHubs:
		return nil, fmt.Errorf("%d hubs share the tasks already, and no more can", MaxHubs)
	}
	return &Change{Kind: joined, Owner: hub, Terms: terms}, nil
}

// Alive judges the word of a hub that it is there.
func (l *Ledger) Alive(hub int) (*Change, error) {
	if hub < 0 || hub >= len(l.Hubs) {
		return nil, fmt.Errorf("hub %d does not share the tasks", hub)
	}
	return &Change{Kind: alive, Hub: hub}, nil
}

// NewBatch returns a batch of tasks, or an error that says why they cannot be added. It does not change the ledger.
func (l *Ledger) NewBatch(add []tasks.Task) (*batch, error) {
	b := &batch{}
	next := l.top
	for _, t := range add {
		next = max(next, tasks.NumberOf(t.ID))
	}
	seen := make(map[string]bool, len(add))
	for _, t := range add {
		if t.ID == "" {
			next++
			t.ID = strconv.FormatUint(next, 10)
		}
		t, err := normal(t)
		if err != nil {
			return nil, err
		}
		if seen[t.ID] {
			return nil, fmt.Errorf("task %s comes twice: give one of them another id", t.ID)
		}
		seen[t.ID] = true
		b.Ids = append(b.Ids, t.ID)
		if e := l.Entries[t.ID]; e == nil {
			b.Fresh = append(b.Fresh, t)
		} else if !e.isSameTask(t) {
			return nil, fmt.Errorf("there is already another task %s: give this one another id", t.ID)
		}
	}
	if err := l.checkEdges(b.Fresh, nil); err != nil {
		return nil, err
	}
	return b, nil
}

// normal returns t as the store reads it back from the journal, without the fields that only the
// store sets.
func normal(t tasks.Task) (tasks.Task, error) {
	if !tasks.ValidID(t.ID) {
		return t, fmt.Errorf("task id %q: use 1 to 64 letters, digits, - and _, and not %q", t.ID, tasks.Sentinel)
	}
	data, err := json.Marshal(t)
	if err != nil {
		return t, fmt.Errorf("task %s: %w", t.ID, err)
	}
	if len(data) > maxTask {
		return t, fmt.Errorf("task %s has %d bytes: shorten it to %d", t.ID, len(data), maxTask)
	}
	t = tasks.Task{}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("task: %w", err)
	}
	if !t.Status.IsValid() {
		return t, fmt.Errorf("task %s has status %q: use pending or completed", t.ID, t.Status)
	}
	if t.Status != tasks.Completed {
		t.Status, t.Owner = tasks.Pending, ""
	}
	delete(t.Metadata, tasks.Reserved)
	t.Blocks, t.BlockedBy = unique(t.Blocks), unique(t.BlockedBy)
	return t, nil
}

// isSameTask reports whether adding t again asks for nothing new.
func (e *Entry) isSameTask(t tasks.Task) bool {
	o := e.Origin
	return t.Subject == o.Subject && t.Description == o.Description && t.ActiveForm == o.ActiveForm &&
		maps.EqualFunc(t.Metadata, o.Metadata, func(a, b any) bool { return reflect.DeepEqual(a, b) }) &&
		maps.EqualFunc(t.Extra, o.Extra, func(a, b json.RawMessage) bool { return string(a) == string(b) }) &&
		within(t.Blocks, e.State.Blocks) && within(t.BlockedBy, e.State.BlockedBy)
}

// checkEdges returns an error if a new task refers to an unknown task or closes a cycle. It does not count the
// dependencies that edit cuts; edit may be nil.
func (l *Ledger) checkEdges(fresh []tasks.Task, edit *Change) error {
	isNew := make(map[string]bool, len(fresh))
	for _, t := range fresh {
		isNew[t.ID] = true
	}
	after := make(map[string][]string, len(fresh)) // new dependents by task
	for _, t := range fresh {
		if id := t.Parent(); id != "" && l.Wholes {
			after[t.ID] = append(after[t.ID], id)
		}
		for _, id := range t.BlockedBy {
			if !isNew[id] && l.Entries[id] == nil {
				return fmt.Errorf("task %s is blocked by %q, which does not exist", t.ID, id)
			}
			after[id] = append(after[id], t.ID)
		}
		for _, id := range t.Blocks {
			after[t.ID] = append(after[t.ID], id)
			if isNew[id] {
				continue
			}
			e := l.Entries[id]
			if e == nil {
				return fmt.Errorf("task %s blocks %q, which does not exist", t.ID, id)
			}
			if e.State.Status != tasks.Pending {
				return fmt.Errorf("task %s blocks task %s, which is already %s", t.ID, id, e.State.Status)
			}
		}
	}
	return l.checkCycles(fresh, after, edit)
}

// checkCycles reports a cycle through the new tasks. Only they can close one, so it follows the dependents from there, and also
// the parents if tasks wait for their parts.
func (l *Ledger) checkCycles(fresh []tasks.Task, after map[string][]string, edit *Change) error {
	const walking, walked = 1, 2
	seen := make(map[string]int, len(fresh))
	var path []string
	var walk func(id string) error
	walk = func(id string) error {
		if e := l.Entries[id]; e != nil && e.State.Status == tasks.Completed {
			return nil // a completed task keeps no task waiting
		}
		switch seen[id] {
		case walked:
			return nil
		case walking:
			cycle := append(path[slices.Index(path, id):], id)
			return fmt.Errorf("tasks wait for each other: %s", strings.Join(cycle, " → "))
		}
		seen[id] = walking
		path = append(path, id)
		for _, next := range after[id] {
			if err := walk(next); err != nil {
				return err
			}
		}
		if e := l.Entries[id]; e != nil {
			for _, next := range e.dependents {
				if edit.cuts(id, next.State.ID) {
					continue
				}
				if err := walk(next.State.ID); err != nil {
					return err
				}
			}
			if whole := e.State.Parent(); whole != "" && l.Wholes {
				if err := walk(whole); err != nil {
					return err
				}
			}
		}
		path = path[:len(path)-1]
		seen[id] = walked
		return nil
	}
	for _, t := range fresh {
		if err := walk(t.ID); err != nil {
			return err
		}
	}
	return nil
}

// unique removes duplicates and keeps the order.
func unique(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	return slices.DeleteFunc(ids, func(id string) bool {
		again := seen[id]
		seen[id] = true
		return again
	})
}

// within reports whether every id of part is in whole.
func within(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(id string) bool { return !slices.Contains(whole, id) })
}
