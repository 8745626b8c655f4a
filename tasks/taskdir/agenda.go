package taskdir

import (
	"sync"
	"time"
)

// everything is the entry of an agenda that stands for the whole directory. No task has this id.
const everything = ""

// agenda holds which files to look at and when. It holds each file once, at the earliest time
// requested, so that a flood of changes causes one look.
type agenda struct {
	mu    sync.Mutex
	due   map[string]time.Time
	next  time.Time // the earliest time in due
	timer *time.Timer
	ended chan struct{}
}

func newAgenda() *agenda {
	a := &agenda{due: map[string]time.Time{}, timer: time.NewTimer(0), ended: make(chan struct{})}
	<-a.timer.C
	return a
}

// add schedules a look at a file after this time.
func (a *agenda) add(id string, after time.Duration) {
	at := time.Now().Add(after)
	a.mu.Lock()
	defer a.mu.Unlock()
	if old, ok := a.due[id]; ok && !at.Before(old) {
		return
	}
	a.due[id] = at
	if len(a.due) == 1 || at.Before(a.next) {
		a.next = at
		a.timer.Reset(after)
	}
}

// wait blocks until files are due and returns them. After shutDown it returns all remaining files at once, and false.
func (a *agenda) wait() (ids []string, more bool) {
	more = true
	select {
	case <-a.timer.C:
	case <-a.ended:
		more = false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	a.next = time.Time{}
	for id, at := range a.due {
		if !more || !at.After(now) {
			ids = append(ids, id)
			delete(a.due, id)
		} else if a.next.IsZero() || at.Before(a.next) {
			a.next = at
		}
	}
	if len(a.due) > 0 {
		a.timer.Reset(a.next.Sub(now))
	}
	return ids, more
}

// shutDown ends the agenda: wait returns at once.
func (a *agenda) shutDown() { close(a.ended) }
