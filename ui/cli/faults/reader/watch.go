package reader

import (
	"slices"
	"sync"
	"time"
)

// Claim is a part of what status says. A fault may make it unknowable.
type Claim int

// The claims.
const (
	Answers     Claim = iota // that it tells how the voyage stands
	Completions              // which tasks are completed
	Deaths                   // what lives
)

// Grace is for how long a status may say what is no longer so.
func Grace(busy bool) time.Duration {
	if busy {
		return 10 * time.Second
	}
	return 2 * time.Second
}

// Lasting is in how many answers in a row a lie must be, so that no single late one counts.
const Lasting = 3

// Watch knows since when what has been so, and judges by that what status says.
type Watch struct {
	mu     sync.Mutex
	dead   map[string]time.Time // since when
	hiding map[Claim]int        // how many faults make it unknowable now
	hidden map[Claim]time.Time  // until when one did, that has ended
	lies   map[string]int       // in how many answers in a row
	looks  int
	quiet  int
}

// SetDead says what is dead at a moment. What it does not name lives.
func (w *Watch) SetDead(now time.Time, names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	dead := map[string]time.Time{}
	for _, name := range names {
		dead[name] = now
		if since, known := w.dead[name]; known {
			dead[name] = since
		}
	}
	w.dead = dead
}

// Hide says that claims cannot be known from now on, until what it returns is called.
func (w *Watch) Hide(claims []Claim) (show func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hiding == nil {
		w.hiding, w.hidden = map[Claim]int{}, map[Claim]time.Time{}
	}
	for _, c := range claims {
		w.hiding[c]++
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, c := range claims {
			w.hiding[c]--
			w.hidden[c] = time.Now()
		}
	}
}

// Judge returns the lies that have lasted with this answer. It was asked for at a moment, on a machine that is busy or not.
func (w *Watch) Judge(asked time.Time, busy bool, a Answer, m *Memory) (lasting []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	if !busy {
		w.quiet++
	}
	lies := w.truth(asked.Add(-Grace(busy)), m).Lies(a)
	still := map[string]int{}
	for _, lie := range slices.Compact(lies) {
		still[lie] = w.lies[lie] + 1
		if still[lie] == Lasting {
			lasting = append(lasting, lie)
		}
	}
	w.lies = still
	return lasting
}

// truth is what was knowable before a moment.
func (w *Watch) truth(before time.Time, m *Memory) Truth {
	known := func(c Claim) bool { return w.hiding[c] == 0 && w.hidden[c].Before(before) }
	t := Truth{Answers: known(Answers), Ever: m.Completed(time.Now()), Dead: map[string]bool{}}
	if known(Completions) {
		t.Completed = m.Completed(before)
	}
	for name, since := range w.dead {
		t.Dead[name] = known(Deaths) && since.Before(before)
	}
	return t
}

// Looks counts the answers that were judged, and those of them on a quiet machine.
func (w *Watch) Looks() (all, quiet int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.looks, w.quiet
}
