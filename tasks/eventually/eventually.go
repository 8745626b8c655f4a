// Package eventually lets a test wait for what another goroutine or process brings about.
package eventually

import (
	"testing"
	"time"
)

// patience is far longer than anything takes on a busy machine: it ends a test that hangs, and is no measure of speed.
const patience = 2 * time.Minute

// Holds waits until ok says that what holds. The test ends here when it never does.
func Holds(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for begun := time.Now(); !ok(); pause(begun) {
		if time.Since(begun) > patience {
			t.Fatalf("it never came about: %s", what)
		}
	}
}

// Succeeds waits until try returns no error. The test ends here when it never does, with the last one.
func Succeeds(t testing.TB, what string, try func() error) {
	t.Helper()
	var last error
	for begun := time.Now(); time.Since(begun) < patience; pause(begun) {
		if last = try(); last == nil {
			return
		}
	}
	t.Fatalf("it never came about: %s: %v", what, last)
}

// pause waits for a sixteenth of what was waited already: who looks all the time, and starts a program for each look, takes the processor
// from what he waits for.
func pause(begun time.Time) {
	time.Sleep(min(max(time.Since(begun)/16, 2*time.Millisecond), 50*time.Millisecond))
}
