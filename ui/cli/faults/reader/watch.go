package reader

import (
	"slices"
	"sync"
	"time"
)

// Claim is a kind of statement in status. A fault may make it unknowable.
type Claim int

// The claims.
const (
	Answers     Claim = iota // how the voyage stands
	Completions              // which tasks are completed
	Deaths                   // which ships and helms live
)

// Grace returns how long status may say what is no longer true.
func Grace(busy bool) time.Duration {
	if busy {
		return 10 * time.Second
	}
	return 2 * time.Second
}

// Lasting is how many answers in a row must have a lie before it counts, so that a single late answer does not.
const Lasting = 3

// Watch records since when facts have been true, and judges answers of status by them.
type Watch struct {
	mu     sync.Mutex
	dead   map[string]time.Time // since when each is dead
	hiding map[Claim]int        // how many faults make the claim unknowable now
	hidden map[Claim]time.Time  // when the last such fault has ended
	lies   map[string]int       // in how many answers in a row each lie was
	looks  int
	quiet  int
}

// SetDead sets which ships and helms are dead at a time. All others live.
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

// Hide makes claims unknowable until show is called.
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

// Judge returns the lies that have lasted up to this answer. asked is when status was run, on a machine that is busy or
// not.
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

// truth returns what could be known before a time.
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

// Looks returns the number of judged answers, and how many of these were on a quiet machine.
func (w *Watch) Looks() (all, quiet int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.looks, w.quiet
}
