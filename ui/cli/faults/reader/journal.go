package reader

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// Event holds the fields of a journal's line that the reader needs.
type Event struct {
	Kind string `json:"kind"`
	Data struct {
		Task   string `json:"task"`
		Owner  string `json:"owner"`
		Epoch  int    `json:"epoch"`
		Commit string `json:"commit"`
		Back   bool   `json:"back"` // the work was handed in and came back
		Phase  string `json:"phase"`
	} `json:"data"`

	// Restated says that the line does not report an event but restates the present state: see restatement.
	Restated bool `json:"-"`
}

// Kinds of events.
const (
	claimed   = "task.claimed"
	completed = "task.completed"
	handedIn  = "task.handed-in"
	checked   = "task.checked"
	approved  = "task.approved"
	requeued  = "task.requeued"
	phase     = "voyage.phase"
	ships     = "voyage.fleet" // also holds the phase, also when helm rewrites a damaged journal
	restating = "task.restating"
	restored  = "task.restored"
)

// ofTasks lists the kinds of events that a restatement replaces.
var ofTasks = []string{claimed, completed, handedIn, checked, approved, requeued}

// Events parses the lines of a journal. A last line without its end is still being written.
func Events(raw []byte) (events []Event, wrong []string) {
	end := bytes.LastIndexByte(raw, '\n') + 1
	var r restatement
	for line := range bytes.Lines(raw[:end]) {
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			wrong = append(wrong, fmt.Sprintf("a line of the journal is none: %.80q", line))
			continue
		}
		switch {
		case e.Kind != restating && e.Kind != restored:
			events = append(events, e)
		case r.add(e.Kind, line):
			events = append(slices.DeleteFunc(events, func(e Event) bool { return slices.Contains(ofTasks, e.Kind) }), r.tasks...)
		}
	}
	return events, wrong
}

// restatement is what helm writes into a damaged journal: the state of each task, between a mark and its counterpart.
// Once complete, it replaces all earlier events of tasks.
type restatement struct {
	want  int
	read  int
	tasks []Event
}

// add takes in a line, and reports whether the restatement is complete with it.
func (r *restatement) add(kind string, line []byte) bool {
	var l struct {
		Data struct {
			Begin bool
			Tasks int
			State struct {
				ID, Status, Owner string
				Store             struct {
					Epoch  int
					Commit string
					HandIn *struct {
						Owner  string
						Epoch  int
						Commit string
						Review any
					}
				}
			}
		}
	}
	if json.Unmarshal(line, &l) != nil {
		return false
	}
	if kind == restating {
		if l.Data.Begin {
			*r = restatement{want: l.Data.Tasks}
			return false
		}
		return r.read == r.want && r.want == l.Data.Tasks
	}
	r.read++
	t, h := l.Data.State, l.Data.State.Store.HandIn
	if h != nil && t.Status != "completed" {
		r.tell(handedIn, t.ID, h.Owner, h.Epoch, h.Commit)
		if h.Review != nil {
			r.tell(approved, t.ID, "", 0, "")
		}
	}
	switch t.Status {
	case "completed":
		r.tell(completed, t.ID, t.Owner, t.Store.Epoch, t.Store.Commit)
	case "in_progress":
		r.tell(claimed, t.ID, t.Owner, t.Store.Epoch, "")
	}
	return false
}

// tell adds the state of a task.
func (r *restatement) tell(kind, task, owner string, epoch int, commit string) {
	e := Event{Kind: kind, Restated: true}
	e.Data.Task, e.Data.Owner, e.Data.Epoch, e.Data.Commit = task, owner, epoch, commit
	r.tasks = append(r.tasks, e)
}

func readJournal(path string) ([]Event, []string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, []string{err.Error()}
	}
	events, _ := Events(raw) // a crash or damage may have torn a line
	return events, nil
}

// Phase returns the last phase in a journal.
func Phase(events []Event) string {
	last := ""
	for _, e := range events {
		if e.Kind == phase || e.Kind == ships && e.Data.Phase != "" {
			last = e.Data.Phase
		}
	}
	return last
}

// Memory is everything that a journal has ever said, with the time at which it was first read. It survives damage of
// the journal.
type Memory struct {
	mu    sync.Mutex
	done  map[Event]time.Time
	lines int
	at    time.Time // time of the last new line
	came  time.Time // time of the last completion or change of phase
	phase string
}

// Look reads the journal into the memory, and returns the journal's phase.
func (m *Memory) Look(journal string) string {
	raw, err := os.ReadFile(journal)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	events, _ := Events(raw)
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done == nil {
		m.done = map[Event]time.Time{}
	}
	if len(events) != m.lines {
		m.lines, m.at = len(events), now
	}
	for _, e := range events {
		if _, known := m.done[e]; !known && e.Kind == completed {
			m.done[e], m.came = now, now
		}
	}
	if p := Phase(events); p != m.phase {
		m.phase, m.came = p, now
	}
	return m.phase
}

// Came returns when the voyage was last seen to progress: a task was completed, or the phase changed.
func (m *Memory) Came() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.came
}

// Moved returns when the journal was last seen to change.
func (m *Memory) Moved() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at
}

// Completed lists the tasks that were completed before a time.
func (m *Memory) Completed(before time.Time) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]bool{}
	for e, at := range m.done {
		if at.Before(before) {
			all[e.Data.Task] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// completions returns all completions that helm ever accepted.
func (m *Memory) completions() []Event {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.done))
}

// Completions checks that each task has exactly one completion, and never had another.
func (v Voyage) Completions(events []Event, m *Memory) (wrong []string) {
	now, ever := map[string]int{}, map[string]map[string]bool{}
	note := func(e Event) {
		if ever[e.Data.Task] == nil {
			ever[e.Data.Task] = map[string]bool{}
		}
		ever[e.Data.Task][e.Data.Commit] = true
	}
	for _, e := range events {
		if e.Kind == completed {
			now[e.Data.Task]++
			note(e)
		}
	}
	for _, e := range m.completions() {
		note(e)
	}
	for _, t := range v.Tasks {
		if n := now[t.ID]; n != 1 {
			wrong = append(wrong, fmt.Sprintf("task %s has %d completions in the journal", t.ID, n))
		}
		if n := len(ever[t.ID]); n > 1 {
			wrong = append(wrong, fmt.Sprintf("task %s was accepted with %d different commits: %s", t.ID, n, slices.Sorted(maps.Keys(ever[t.ID]))))
		}
	}
	return wrong
}
