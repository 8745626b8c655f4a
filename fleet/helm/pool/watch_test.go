package pool

import (
	"testing"
	"time"

	"ocaptain/fleet"
)

func TestIsDue(t *testing.T) {
	const every = 30 * time.Minute
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, tt := range map[string]struct {
		w     Work
		every time.Duration
		want  bool
	}{
		"not before its time":   {Work{Since: ago(every - time.Second)}, every, false},
		"at its time":           {Work{Since: ago(every)}, every, true},
		"not twice":             {Work{Since: ago(every + time.Minute), Nudged: ago(time.Minute), Nudges: 1}, every, false},
		"again after as long":   {Work{Since: ago(2 * every), Nudged: ago(every), Nudges: 1}, every, true},
		"told before it worked": {Work{Since: ago(time.Minute), Nudged: ago(time.Hour)}, every, false},
		"it does not work":      {Work{}, every, false},
		"nobody wants it":       {Work{Since: ago(time.Hour)}, 0, false},
	} {
		if is := tt.w.IsDue(now, tt.every); is != tt.want {
			t.Errorf("%s: %t", name, is)
		}
	}
}

// watched has a watch look, minute by minute, at a worker that works at a dispatch, until a minute. It returns how often the worker was told.
func watched(w *Watch, from, until int, see func(*Seen)) (told int) {
	for n := from; n <= until; n++ {
		s := Seen{Name: "kite-1", Status: fleet.Working, Task: "1", Works: true, Copied: true}
		see(&s)
		if _, tell := w.Look(now.Add(time.Duration(n)*time.Minute), now, 30*time.Minute, []Seen{s}); len(tell) > 0 {
			told++
		}
	}
	return told
}

// A worker that commits nothing is told after 30 minutes and again after 30 more, until it has committed.
func TestWorkerIsTold(t *testing.T) {
	var w Watch
	works := func(*Seen) {}
	w.Begins("kite-1", now)
	w.Stands("kite-1", "base", now)
	for _, c := range []struct{ from, until, told, nudges int }{{0, 29, 0, 0}, {30, 30, 1, 1}, {31, 59, 0, 1}, {60, 60, 1, 2}, {61, 90, 1, 3}} {
		if told := watched(&w, c.from, c.until, works); told != c.told || w.Of("kite-1").Nudges != c.nudges {
			t.Errorf("until minute %d it was told %d times, %+v", c.until, told, w.Of("kite-1"))
		}
	}
	at := now.Add(91 * time.Minute)
	if w.Stands("kite-1", "base", at) || w.Of("kite-1").Nudges != 3 {
		t.Error("it has committed nothing")
	}
	if !w.Stands("kite-1", "commit", at) || w.Of("kite-1") != (Work{Since: at}) || watched(&w, 91, 120, works) != 0 {
		t.Errorf("it has committed, and is %+v", w.Of("kite-1"))
	}
	w.Forget("kite-1")
	if w.Stands("kite-1", "another", at) {
		t.Error("a new machine stands on its first commit")
	}
}

// Time counts only while helm sees the worker work.
func TestWorkerIsToldFairly(t *testing.T) {
	for name, hinder := range map[string]func(*Seen){
		"it does not work":   func(s *Seen) { s.Works = false },
		"it has no task":     func(s *Seen) { s.Task = "" },
		"its tree is unseen": func(s *Seen) { s.Copied = false },
	} {
		w := Watch{}
		w.Begins("kite-1", now)
		if told := watched(&w, 1, 40, hinder); told > 0 {
			t.Errorf("%s: it was told %d times", name, told)
		}
	}
	w := Watch{}
	w.Begins("kite-1", now)
	later := now.Add(40 * time.Minute)
	if _, tell := w.Look(later, later, 30*time.Minute, []Seen{{Name: "kite-1", Task: "1", Works: true, Copied: true}}); len(tell) > 0 {
		t.Error("the hub slept: it was told")
	}
}

// The states of workers are logged once in each interval.
func TestStatesAreLogged(t *testing.T) {
	var w Watch
	all := []Seen{{Name: "kite-1", Status: fleet.Working, Task: "1"}, {Name: "kite-2", Status: fleet.Idle}}
	for _, c := range []struct {
		minute int
		want   string
	}{{0, ""}, {29, ""}, {30, "2027-03-04T12:30:00Z kite-1 working dispatch 1\n2027-03-04T12:30:00Z kite-2 idle\n"}, {59, ""}} {
		if log, _ := w.Look(now.Add(time.Duration(c.minute)*time.Minute), now, 30*time.Minute, all); log != c.want {
			t.Errorf("minute %d: %q", c.minute, log)
		}
	}
}
