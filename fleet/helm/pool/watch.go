package pool

import (
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
)

// Watch follows for how long the workers of a pool have worked without a commit, and when their states are due in the pool's log. Its zero value
// has seen nothing.
type Watch struct {
	Logged time.Time // when the states were logged last
	Works  map[string]*Work
	heads  map[string]string // the newest commit that each worker's tree stood on
}

// Seen is what is to be seen of a worker.
type Seen struct {
	Name   string
	Status fleet.Word
	Task   string // that it holds, "" for none
	Works  bool   // its agent seems to work
	Copied bool   // its tree was copied to the hub a moment ago
}

// Of returns how long a worker has worked without a commit.
func (w *Watch) Of(worker string) Work {
	if is := w.Works[worker]; is != nil {
		return *is
	}
	return Work{}
}

// Forget drops what was seen of a worker whose machine is gone.
func (w *Watch) Forget(worker string) {
	delete(w.Works, worker)
	delete(w.heads, worker)
}

// Begins records that a worker begins a task.
func (w *Watch) Begins(worker string, now time.Time) {
	delete(w.heads, worker)
	w.set(worker, Work{Since: now})
}

// Stands records which commit is checked out in a worker's tree, and reports whether it is a new commit of the
// worker.
func (w *Watch) Stands(worker, commit string, now time.Time) (committed bool) {
	was := w.heads[worker]
	if w.heads == nil {
		w.heads = map[string]string{}
	}
	w.heads[worker] = commit
	if committed = was != "" && was != commit; committed {
		w.set(worker, Work{Since: now})
	}
	return committed
}

func (w *Watch) set(worker string, is Work) {
	if w.Works == nil {
		w.Works = map[string]*Work{}
	}
	w.Works[worker] = &is
}

// Look records what helm sees of the workers now; awake is since when the hub has been awake. It returns lines for
// the pool's log, one per worker and period every, and the workers to tell that they should commit. Time counts only
// while helm sees a worker work, and not while the worker waits or is out of reach, or the hub sleeps.
func (w *Watch) Look(now, awake time.Time, every time.Duration, all []Seen) (log string, tell []string) {
	if w.Logged.IsZero() {
		w.Logged = now
	}
	if now.Sub(w.Logged) >= every {
		w.Logged, log = now, states(now, all)
	}
	for _, s := range all {
		if w.isDue(s, now, awake, every) {
			is := w.Works[s.Name]
			is.Nudged = now
			is.Nudges++
			tell = append(tell, s.Name)
		}
	}
	return log, tell
}

// isDue reports whether a worker should be told to commit.
func (w *Watch) isDue(s Seen, now, awake time.Time, every time.Duration) bool {
	if s.Task == "" {
		w.set(s.Name, Work{})
		return false
	}
	if is := w.Of(s.Name); is.Since.IsZero() || !s.Works || is.Since.Before(awake) {
		is.Since = now
		w.set(s.Name, is)
		return false
	}
	return s.Copied && w.Of(s.Name).IsDue(now, every)
}

// states returns a line for each worker.
func states(now time.Time, all []Seen) string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%s %s %s", now.UTC().Format(time.RFC3339), s.Name, s.Status)
		if s.Task != "" {
			b.WriteString(" dispatch " + s.Task)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Work says for how long a worker has worked without a commit, as far as helm has seen.
type Work struct {
	Since  time.Time // when it committed last or began, moved forward by times in which it could not work
	Nudged time.Time // when helm last told it to commit, zero if not since Since
	Nudges int       // how often helm has told it to commit since Since
}

// IsDue reports whether helm should tell the worker to commit: once in every such time without a commit.
func (w Work) IsDue(now time.Time, every time.Duration) bool {
	from := w.Since
	if w.Nudged.After(from) {
		from = w.Nudged
	}
	return every > 0 && !w.Since.IsZero() && now.Sub(from) >= every
}

// Nudge is the message to a worker that has committed nothing for too long.
const Nudge = "You have committed nothing for a while. Commit what you have now, also when it is not finished, and go on."
