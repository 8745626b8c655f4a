package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// taskList is the task list as helm last stated it. It decides what this ship holds; the directory does not, since
// agents can write to it.
type taskList struct {
	ship string

	mu        sync.Mutex
	tasks     map[string]tasks.Task
	part      map[string]tasks.Task // the tasks of a full list that have arrived so far
	summaries map[string]string     // by task, for the commit message
	had       []string              // tasks that the agent sees in any case, since it has worked on them
	ready     chan struct{}         // closed once the first full list is complete
	changed   chan struct{}         // closed and replaced whenever the list changes
	closeOnce sync.Once
}

// maxTasks bounds how many tasks a list may have.
const maxTasks = 200_000

func newTaskList(ship string) *taskList {
	return &taskList{ship: ship, tasks: map[string]tasks.Task{}, summaries: map[string]string{}, ready: make(chan struct{}), changed: make(chan struct{})}
}

// update handles news from helm. If this completes a full list, it returns the list.
func (b *taskList) update(u proto.TaskUpdate) ([]tasks.Task, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	into := b.tasks
	if u.Full {
		if b.part == nil {
			b.part = map[string]tasks.Task{}
		}
		into = b.part
	}
	for _, t := range u.Tasks {
		into[t.ID] = t
		if b.part != nil {
			b.part[t.ID] = t // a change that arrived between two parts of a full list
		}
	}
	if len(into) > maxTasks {
		return nil, fmt.Errorf("more than %d tasks", maxTasks)
	}
	if u.Full {
		if u.More {
			return nil, nil
		}
		b.tasks, b.part = b.part, nil
		b.closeOnce.Do(func() { close(b.ready) })
		b.wakeWaiting()
		return b.sorted(), nil
	}
	b.wakeWaiting()
	return nil, nil
}

// wakeWaiting wakes who waits for news. The caller holds mu.
func (b *taskList) wakeWaiting() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// nextNews returns a channel that is closed at the next change of the list.
func (b *taskList) nextNews() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// mayHold reports whether the list shows a task as this ship's, or has not arrived yet.
func (b *taskList) mayHold(id string) bool {
	select {
	case <-b.ready:
	default:
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tasks[id]
	return t.Owner == b.ship && t.Status == tasks.InProgress
}

// show makes the agent see these tasks in any case, since it has worked on them.
func (b *taskList) show(ids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.had = ids
}

// shown returns the given tasks, and the tasks that may wait for them, in the form that the agent's list has. It hides tasks that
// the ship can neither claim nor holds, to save tokens, since the agent reads the list often. The agent can still see any task by
// its id.
func (b *taskList) shown(some []tasks.Task) []tasks.Task {
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := make([]tasks.Task, 0, len(some))
	done := make(map[string]bool, len(some))
	add := func(t tasks.Task) {
		if !done[t.ID] {
			done[t.ID] = true
			seen = append(seen, b.asSeen(t))
		}
	}
	for _, t := range some {
		add(t)
	}
	for _, t := range some {
		for _, id := range t.Blocks {
			if waits, ok := b.tasks[id]; ok {
				add(waits)
			}
		}
	}
	return seen
}

// asSeen returns a task in the form that the agent's list has. The caller holds mu.
func (b *taskList) asSeen(t tasks.Task) tasks.Task {
	t = t.Clone()
	t.BlockedBy = slices.DeleteFunc(t.BlockedBy, func(id string) bool { // Claude Code takes a hidden blocker for an open one
		blocker, ok := b.tasks[id]
		return !ok || blocker.Status == tasks.Completed
	})
	ready := t.Status == tasks.Pending && len(t.BlockedBy) == 0
	if ready || slices.Contains(b.had, t.ID) || t.Owner == b.ship && t.Status == tasks.InProgress {
		return t
	}
	if t.Metadata == nil {
		t.Metadata = map[string]any{}
	}
	t.Metadata["_internal"] = true
	return t
}

// putTask changes one task, as follows from an answer of helm.
func (b *taskList) putTask(t tasks.Task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tasks[t.ID] = t
}

// task returns the task with this id, or false.
func (b *taskList) task(id string) (tasks.Task, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, ok := b.tasks[id]
	return t.Clone(), ok
}

// change edits the task with this id, or returns false.
func (b *taskList) change(id string, fn func(*tasks.Task)) (tasks.Task, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, ok := b.tasks[id]
	if ok {
		t = t.Clone()
		fn(&t)
		b.tasks[id] = t
	}
	return t, ok
}

// sorted returns the tasks in the order of their ids. The caller holds mu.
func (b *taskList) sorted() []tasks.Task {
	all := make([]tasks.Task, 0, len(b.tasks))
	for _, t := range b.tasks {
		all = append(all, t)
	}
	slices.SortFunc(all, func(x, y tasks.Task) int { return tasks.CompareIDs(x.ID, y.ID) })
	return all
}

// held says whether this ship holds a task. It waits until the first full list is complete.
func (b *taskList) held(ctx context.Context, r shipdir.HeldRequest) (shipdir.Held, error) {
	select {
	case <-b.ready:
	case <-ctx.Done():
		return shipdir.Held{}, errors.New("the task list is not there yet")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var h shipdir.Held
	if r.Task != "" {
		t, ok := b.tasks[r.Task]
		h.Mine = ok && t.Owner == b.ship && t.Status == tasks.InProgress
		if h.Mine && r.Summary != "" {
			b.summaries[r.Task] = r.Summary
		}
	}
	for _, t := range b.sorted() {
		if t.Owner == b.ship && t.Status == tasks.InProgress {
			h.Tasks = append(h.Tasks, t.ID)
		}
	}
	return h, nil
}

// summary returns the agent's summary of its work on the task.
func (b *taskList) summary(id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.summaries[id]
}
