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

// TestTwoCaptains has two captains at terminals of different size at one ship. Its window
// is as big as the terminal of the one who attached last, nobody's typing changes that, and
// looking does not either.
func TestTwoCaptains(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	d := c.sailGated(t, "shared", 2, gatedPlan(3))
	task := c.ship(t, d, "ship-0").Task
	big, small := newWindow(t, c, 120, 40), newWindow(t, c, 80, 24)
	sizes := c.record(t, d, "ship-0")
	for _, w := range []*window{big, small} {
		w.run(c.program)
		w.see("the dashboard", has("[1] Agents", "W ship-0", "● helm"))
		w.press("4", "the ship", has("[4] ship-0", "● live", "at the gate of "+task))
		w.press("] [", "it again", has("[4] ship-0", "● live", "at the gate of "+task))
	}
	sizes.are(t, "200x50")

	alone := all(has("at the gate of "+task), hasNot("[4] ship-0"))
	big.press("Enter", "the agent alone", alone)
	sizes.are(t, "200x50", "120x40")
	small.see("a part of it", has("part of 120×40"))
	small.press("Enter", "the agent alone", alone)
	sizes.are(t, "200x50", "120x40", "80x24")
	big.enter("big+")
	small.see("what the other types", has("big+"))
	small.enter("small+")
	big.see("what the other types", has("big+small+"))
	big.enter("again")
	small.see("what the other types", has("big+small+again"))

	small.press("C-q", "the dashboard", has("[4] ship-0", "● live", "big+small+again"))
	big.press("C-q", "the dashboard", has("[1] Agents", "[4] ship-0", "● live"))
	sizes.are(t, "200x50", "120x40", "80x24")
	big.press("q", "the shell", ashore)
	big.run(c.program + " shell ship-0")
	big.see("the agent alone", has("big+small+again"))
	sizes.are(t, "200x50", "120x40", "80x24", "120x40")
	small.press("o", "all ships", bottom("look closer"))
	small.press("f", "one ship", has("[4] ship-", "part of 120×40"))
	small.press("i", "that keys go to the ship", has("● LIVE"))
	small.enter("+and again")
	big.see("what the other types", has("big+small+again+and again"))
	small.press("C-q", "the end of that", hasNot("● LIVE"))
	big.press("C-q", "the shell", ashore)
	sizes.are(t, "200x50", "120x40", "80x24", "120x40")
}

// recorder notes the sizes that a ship's window has one after the other.
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

// are waits until the window has had these sizes, and fails when it has had others.
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
