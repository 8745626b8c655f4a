package voyage

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/facts"
)

// A helm that begins while a budget is spent knows since when, whether a ship tells anything or not, and tells the captain nothing again.
func TestSpentBudgetAtNewHelm(t *testing.T) {
	t.Parallel()
	h, d, v, _ := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	s.Uses(time.Now(), func(u *facts.Used) { u.AddExported(5) })
	told := func(v *Voyage) (n int, since time.Time) {
		b := v.Board()
		for _, note := range b.Notes {
			if strings.HasPrefix(note.Text, "paused, as its budget is spent") {
				n++
			}
		}
		return n, b.PausedSince(time.Now())
	}
	if _, err := v.Pauses.SetBudget(api.BudgetRequest{Max: 4}); err != nil {
		t.Fatal(err)
	}
	n, since := told(v)
	if n != 1 || since.IsZero() {
		t.Fatalf("it is told %d times, since %s", n, since)
	}
	v.keeper.Save()
	h.forget(v)
	if n, again := told(openStill(t, h, d)); n != 1 || !again.Equal(since) {
		t.Errorf("a new helm has told %d times, since %s instead of %s", n, again, since)
	}
}
