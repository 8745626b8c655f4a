package e2e

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks/eventually"
)

// recorder notes the sizes of a ship's window, in order.
type recorder struct {
	mu   sync.Mutex
	seen []string
	err  error
}

// record asks a ship's tmux for the window's size, again and again until the test ends.
func (c *captain) record(t testing.TB, d fleet.Dir, name string) *recorder {
	t.Helper()
	r := &recorder{}
	stop, done := make(chan struct{}), make(chan struct{})
	socket := c.tmuxSocket(t, d, name)
	go func() {
		defer close(done)
		for {
			out, err := exec.Command("tmux", "-S", socket, "display-message", "-p", "-t", "=ship:", "#{window_width}x#{window_height}").CombinedOutput()
			size := strings.TrimSpace(string(out))
			r.mu.Lock()
			if err != nil {
				r.err = fmt.Errorf("%w: %s", err, out)
			} else if len(r.seen) == 0 || r.seen[len(r.seen)-1] != size {
				r.seen = append(r.seen, size)
			}
			r.mu.Unlock()
			select {
			case <-stop:
				return
			case <-eventually.Later(10 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-done
	})
	return r
}

// are waits until the window has had these sizes, and fails when it has had any other.
func (r *recorder) are(t testing.TB, want ...string) {
	t.Helper()
	eventually.Succeeds(t, fmt.Sprintf("the window was %s", want), func() error {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.err != nil {
			t.Fatalf("the ship's tmux: %v", r.err)
		}
		if !slices.Equal(r.seen, want) {
			return fmt.Errorf("it was %s", r.seen)
		}
		return nil
	})
}
