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
	for end := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came about: %s", what)
		}
	}
}
