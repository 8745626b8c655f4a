package clock

import (
	"testing"
	"time"
)

// The hub has been awake since the end of its last sleep, however late the next look comes.
func TestAwakeSince(t *testing.T) {
	t.Parallel()
	var c Clock
	now := time.Now().Round(0)
	began := now
	tick := func(d time.Duration) {
		for end := now.Add(d); now.Before(end); c.AwakeSince(now) {
			now = now.Add(glance)
		}
	}
	c.AwakeSince(now)
	tick(9 * time.Minute)
	if since := c.AwakeSince(now); !since.Equal(began) {
		t.Errorf("awake since %s, it began at %s", since, began)
	}
	now = now.Add(8 * time.Hour) // without a look in between
	woke := now
	if since := c.AwakeSince(now); !since.Equal(woke) {
		t.Errorf("awake since %s, it woke at %s", since, woke)
	}
	tick(9 * time.Minute)
	if since := c.AwakeSince(now); !since.Equal(woke) {
		t.Errorf("awake since %s later, it woke at %s", since, woke)
	}
	now = now.Add(-8 * time.Hour) // the clock is set back
	c.AwakeSince(now)
	if since := c.AwakeSince(now.Add(glance)); since.After(now) {
		t.Errorf("awake since %s, which is to come", since.Sub(now))
	}
}
