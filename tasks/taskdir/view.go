// Package taskdir keeps a directory of task files for Claude Code: it writes the stated tasks, and reports
// what others change.
package taskdir

import (
	"context"
	"fmt"
	"hash/maphash"
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
	gather    = 20 * time.Millisecond  // the pause before writing a stated task, so that many changes cause few writes
	debounce  = 100 * time.Millisecond // the pause after a change by others, who write in pieces
	retry     = 50 * time.Millisecond  // the pause between looks at a file that is locked or half written
	reads     = 4                      // how many looks at a half-written file pass before it counts as damaged
	survey    = 2 * time.Second        // the pause after an event that does not say which files have changed, since reading all files is costly
	tolerance = 30 * time.Second       // for how long a file may show an expected state
)

// View keeps a task directory as its owner states it. It undoes and reports what others change. Its methods are
// safe for concurrent use and do not wait for the disk.
type View struct {
	dir     string
	report  func([]Tamper)
	disturb func() // called when the problems change
	watcher *watch.Watcher
	agenda  *agenda
	done    sync.WaitGroup
	close   func() error

	mu       sync.Mutex
	stated   bool // the owner has called Set
	files    map[string]*wanted
	problems map[string]string // by file name
	hindered hindrances
	looks    map[string]int // looks at half-written files, by id
	top      uint64         // the highest number that is an id
	unclean  int            // files that do not show the stated task yet
	clean    *sync.Cond
}

// wanted is the stated content of a file.
type wanted struct {
	task     tasks.Task
	unclean  bool          // the file was not looked at since the task was stated
	present  bool          // the file was there
	expected []expectation // states that an agent may write into the file
	version  int           // the version of task
	shown    uint64        // checksum of the file that the view wrote for this version, 0 for none
}

// seed makes checksums of files unpredictable, so that a file with other content has another checksum.
var seed = maphash.MakeSeed()

// expectation is a state that an agent may write.
type expectation struct {
	task  tasks.Task
	until time.Time
	past  bool // the state is wrong or outdated: the view restores the file without a report
	late  bool // the file may also show the owner of the stated task
}

// OpenView opens a view of dir, and creates dir if it is missing. The view changes no file before the first Set. It
// calls report with what others did, and disturb when the problems change; both may be nil. report may call the view,
// but must not wait in Flush or Close.
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

// sentinel returns the task that keeps an open Claude Code from wiping a list of completed tasks.
func sentinel() tasks.Task {
	return tasks.Task{
		ID:          tasks.Sentinel,
		Subject:     "ocaptain sentinel",
		Description: "do not remove",
		Status:      tasks.Pending,
		Metadata:    map[string]any{"_internal": true},
	}
}

// Set states all tasks. It removes the files of tasks that are not among them.
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

// PutTasks states some tasks, and leaves the others as they are.
func (v *View) PutTasks(some ...tasks.Task) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, t := range some {
		v.setWanted(t)
	}
}

// setWanted updates what the file of t should hold.
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
	w.shown = 0
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

// Expect announces a state that an agent may write soon. For half a minute the view leaves a file in that state
// alone.
func (v *View) Expect(t tasks.Task) { v.expect(expectation{task: t}) }

// Excuse announces a state that an agent will write soon although it is wrong. For half a minute the view restores the file without a
// report. The file may also have the owner of the stated task, since the agent may read the file before it writes.
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

// Problems says which files cannot be used and why.
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

// Flush waits until the directory shows everything stated before the call.
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

// settled records that the file of w shows the stated task. The caller holds the lock.
func (v *View) settled(w *wanted) {
	if w.unclean {
		w.unclean = false
		if v.unclean--; v.unclean == 0 {
			v.clean.Broadcast()
		}
	}
}

// Close writes what is stated, except to files that others have locked. After that it leaves the directory alone.
func (v *View) Close() error { return v.close() }

func (v *View) shutDown() error {
	v.agenda.shutDown()
	v.watcher.Close()
	v.done.Wait()
	return nil
}

// listen turns events of the directory into entries of the agenda.
func (v *View) listen() {
	for {
		select {
		case event, ok := <-v.watcher.Events:
			if !ok {
				return
			}
			if event.Name == v.dir {
				v.agenda.add(everything, 0) // the directory itself was removed or renamed
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
