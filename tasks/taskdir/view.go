// Package taskdir keeps a directory of task files as Claude Code reads it: it writes what is right, and tells what others have changed there.
package taskdir

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/watch"
)

const (
	gather    = 20 * time.Millisecond  // before a stated task is written: many changes at once are few writes
	debounce  = 100 * time.Millisecond // after a change by others, since they write in pieces
	retry     = 50 * time.Millisecond  // between looks at a file that is locked or half written
	reads     = 4                      // looks at a half-written file before it counts as damaged
	survey    = 2 * time.Second        // after news that anything may have changed: to look at all costs something
	tolerance = 30 * time.Second       // how long an expected state may show up
)

// View keeps a task directory as it should be. What that is comes from its owner;
// what others change is undone and reported. Its methods are safe for concurrent use and do not wait for the disk.
type View struct {
	dir     string
	report  func([]Tamper)
	disturb func() // the problems have changed
	watcher *watch.Watcher
	agenda  *agenda
	done    sync.WaitGroup
	close   func() error

	mu       sync.Mutex
	stated   bool // Set was called: what is right is known
	files    map[string]*wanted
	problems map[string]string // by file name
	hindered hindrances
	looks    map[string]int // at half-written files, by id
	top      uint64         // highest number that was an id
	unclean  int            // files that do not show yet what was stated
	clean    *sync.Cond
}

// wanted is a file as it should be.
type wanted struct {
	task     tasks.Task
	unclean  bool          // not yet looked at since it was stated
	present  bool          // the file was there
	expected []expectation // states that somebody else may write
	version  int           // of task
}

// expectation is a state that an agent was allowed to write.
type expectation struct {
	task  tasks.Task
	until time.Time
	past  bool // it is restored without a report: not right, or no longer since the task was stated again
	late  bool // it may have the owner of the task as it is stated
}

// OpenView opens a view of dir, which is made when it is missing. Nothing is touched
// until Set has said what is right. report is told what others did, disturb that something was; both may be nil. report
// may call the view, but not wait in Flush or Close.
func OpenView(dir string, report func([]Tamper), disturb func()) (*View, error) {
	if report == nil {
		report = func([]Tamper) {}
	}
	if disturb == nil {
		disturb = func() {}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make task directory: %w", err)
	}
	dir = filepath.Clean(dir)
	removeTempFiles(dir)
	watcher := watch.New()
	if err := watcher.Add(dir); err != nil {
		watcher.Close()
		return nil, fmt.Errorf("watch task directory: %w", err)
	}
	v := &View{
		dir:      dir,
		report:   report,
		disturb:  disturb,
		watcher:  watcher,
		agenda:   newAgenda(),
		files:    map[string]*wanted{},
		problems: map[string]string{},
		hindered: hindrances{why: map[string]string{}},
		looks:    map[string]int{},
	}
	v.clean = sync.NewCond(&v.mu)
	v.close = sync.OnceValue(v.shutDown)
	v.done.Go(v.listen)
	v.done.Go(v.runAgenda)
	return v, nil
}

// sentinel is the task that keeps an open Claude Code from wiping a list whose tasks
// are all completed.
func sentinel() tasks.Task {
	return tasks.Task{
		ID:          tasks.Sentinel,
		Subject:     "ocaptain sentinel",
		Description: "do not remove",
		Status:      tasks.Pending,
		Metadata:    map[string]any{"_internal": true},
	}
}

// Set states all tasks. Files of others that were stated before are removed.
func (v *View) Set(all []tasks.Task) {
	v.mu.Lock()
	defer v.mu.Unlock()
	first := !v.stated
	v.stated = true
	keep := make(map[string]bool, len(all)+1)
	for _, t := range append([]tasks.Task{sentinel()}, all...) {
		keep[t.ID] = true
		v.setWanted(t)
	}
	for id, w := range v.files {
		if !keep[id] {
			v.settled(w)
			delete(v.files, id)
			v.agenda.add(id, 0)
		}
	}
	if first {
		v.agenda.add(everything, 0)
	}
}

// PutTasks states some tasks anew, or for the first time.
func (v *View) PutTasks(some ...tasks.Task) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, t := range some {
		v.setWanted(t)
	}
}

// setWanted takes in what one task should be.
func (v *View) setWanted(t tasks.Task) {
	t = signed(t)
	w := v.files[t.ID]
	if w == nil {
		w = &wanted{}
		v.files[t.ID] = w
	} else if len(differences(w.task, t)) == 0 && reflect.DeepEqual(w.task.Metadata, t.Metadata) {
		return
	}
	w.task = t
	w.version++
	for i := range w.expected {
		w.expected[i].past = true
	}
	if !w.unclean {
		w.unclean = true
		v.unclean++
	}
	v.top = max(v.top, tasks.NumberOf(t.ID))
	v.agenda.add(t.ID, gather)
}

// Expect says that somebody was allowed to bring a task to this state and will write
// it soon: for half a minute its file may show that.
func (v *View) Expect(t tasks.Task) { v.expect(expectation{task: t}) }

// Excuse says that somebody will write this state of a task soon, although it is not right: for half a minute the file is restored without a
// report. Who writes it may have read the file after the task was stated again, and then keeps the owner that it shows.
func (v *View) Excuse(t tasks.Task) { v.expect(expectation{task: t, past: true, late: true}) }

func (v *View) expect(x expectation) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if w := v.files[x.task.ID]; w != nil {
		now := time.Now()
		w.expected = slices.DeleteFunc(w.expected, func(x expectation) bool { return now.After(x.until) })
		x.until = now.Add(tolerance)
		w.expected = append(w.expected, x)
	}
}

// Problems says in words which files cannot be used.
func (v *View) Problems() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []string
	for _, name := range slices.Sorted(maps.Keys(v.problems)) {
		if len(all) == maxProblems {
			return append(all, fmt.Sprintf("%d more files", len(v.problems)-maxProblems))
		}
		all = append(all, fmt.Sprintf("%q: %s", name, v.problems[name]))
	}
	return all
}

// Flush waits until the directory shows everything that was stated before.
func (v *View) Flush(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.clean.Broadcast()
	})()
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.unclean > 0 && ctx.Err() == nil {
		v.clean.Wait()
	}
	return ctx.Err()
}

// settled notes that w's file shows what was stated. The lock is held.
func (v *View) settled(w *wanted) {
	if w.unclean {
		w.unclean = false
		if v.unclean--; v.unclean == 0 {
			v.clean.Broadcast()
		}
	}
}

// Close writes what was stated and not yet shown, as far as nobody holds a lock on it,
// and leaves the directory alone from then on.
func (v *View) Close() error { return v.close() }

func (v *View) shutDown() error {
	v.agenda.shutDown()
	v.watcher.Close()
	v.done.Wait()
	return nil
}

// listen turns what happens in the directory into work.
func (v *View) listen() {
	for {
		select {
		case event, ok := <-v.watcher.Events:
			if !ok {
				return
			}
			if event.Name == v.dir {
				v.agenda.add(everything, 0) // it was removed or renamed itself
			} else if id, ok := TaskOf(event.Name); ok {
				v.agenda.add(id, debounce)
			}
		case _, ok := <-v.watcher.Missed:
			if !ok {
				return
			}
			v.agenda.add(everything, survey)
		}
	}
}
