package pace

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPaces lets a ship wait, make progress and wait again: each wait is reported once, and the ship is forgotten at the end.
func TestPaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		shown := 0
		all := New(t.Context(), Ticks, func() { shown++ })
		p, end := all.Begin([]string{"ship-0", "ship-1"}, func(text string) { told = append(told, text) })
		wait := func(d time.Duration) (awaits string, quiet time.Duration) {
			time.Sleep(d)
			synctest.Wait()
			return all.Of("ship-1")
		}
		if awaits, quiet := wait(time.Minute); awaits != "" || quiet < 50*time.Second || len(told) > 0 {
			t.Errorf("it waits for nothing, and it is said: %q for %s, %q", awaits, quiet, told)
		}
		p.Await("the provider")
		if awaits, quiet := wait(time.Minute); awaits != "the provider" || quiet < 50*time.Second || len(told) != 1 || !strings.HasPrefix(told[0], "waits for the provider, ") || shown < 15 {
			t.Errorf("it waits for %q for %s, and it is said: %q, shown %d times", awaits, quiet, told, shown)
		}
		p.Moved()
		if _, quiet := wait(Look); quiet > 0 {
			t.Errorf("it gets on, and has waited for %s", quiet)
		}
		if wait(time.Minute); len(told) != 2 {
			t.Errorf("it waits again, and it is said: %q", told)
		}
		end()
		if awaits, _ := all.Of("ship-1"); awaits != "" {
			t.Errorf("it is looked at still, waiting for %q", awaits)
		}
	})
}
