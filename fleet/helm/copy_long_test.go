//go:build long

package helm

import (
	"testing"
	"time"

	"ocaptain/tasks/eventually"
)

// TestSinkTriesTheLink has a link that has been down for long: the ship is dialled once more before it is given up.
func TestSinkTriesTheLink(t *testing.T) {
	t.Parallel()
	for _, comes := range []bool{true, false} {
		v, s, _ := restingShip(t)
		v.mu.Lock()
		s.known.Connected, s.known.LinkSince, s.begun = false, time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)
		v.mu.Unlock()
		connected := make(chan bool, 1)
		go func() { connected <- s.connects(t.Context()) }()
		select {
		case <-connected:
			t.Fatal("it was given up without an attempt")
		case <-eventually.Later(300 * time.Millisecond):
		}
		v.mu.Lock()
		s.known.Connected, s.dialled = comes, time.Now()
		v.mu.Unlock()
		if got := <-connected; got != comes {
			t.Errorf("connected: %t, want %t", got, comes)
		}
	}
}
