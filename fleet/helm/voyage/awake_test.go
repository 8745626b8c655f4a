package voyage

import (
	"testing"
	"time"
)

// The hub has been awake since the end of its last sleep, however late the next look comes.
func TestAwakeSince(t *testing.T) {
	t.Parallel()
	var a awake
	now := time.Now().Round(0)
	began := now
	tick := func(d time.Duration) {
		for end := now.Add(d); now.Before(end); a.since(now) {
			now = now.Add(glance)
		}
	}
	a.since(now)
	tick(9 * time.Minute)
	if since := a.since(now); !since.Equal(began) {
		t.Errorf("awake since %s, it began at %s", since, began)
	}
	now = now.Add(8 * time.Hour) // without a look in between
	woke := now
	if since := a.since(now); !since.Equal(woke) {
		t.Errorf("awake since %s, it woke at %s", since, woke)
	}
	tick(9 * time.Minute)
	if since := a.since(now); !since.Equal(woke) {
		t.Errorf("awake since %s later, it woke at %s", since, woke)
	}
	now = now.Add(-8 * time.Hour) // the clock is set back
	a.since(now)
	if since := a.since(now.Add(glance)); since.After(now) {
		t.Errorf("awake since %s, which is to come", since.Sub(now))
	}
}
