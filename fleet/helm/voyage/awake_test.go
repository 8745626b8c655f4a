package voyage

import (
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/secrets"
)

// Silence is counted from the end of a sleep, however long a ship was out of reach before.
func TestSilenceOfSleepers(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	h.stop() // from here on it looks only when the test calls
	h.jobs.close()
	v := &Voyage{set: h, ctx: h.ctx, secrets: secrets.New(fleet.Dir(t.TempDir()), &kept.Files{})}
	s := newShip(v, &fleet.Ship{Name: "ship-0", Provider: "local"})
	now := time.Now()
	s.known.LinkSince = now
	tick := func(d time.Duration) {
		for end := now.Add(d); now.Before(end); h.awake.since(now) {
			now = now.Add(glance)
		}
	}
	const most = 10 * time.Minute
	tick(most - time.Minute)
	if s.silent(now, most) {
		t.Error("too soon")
	}
	now = now.Add(8 * time.Hour) // without a look in between
	if s.silent(now, most) {
		t.Error("dead for the time asleep")
	}
	tick(most - time.Minute)
	if s.silent(now, most) {
		t.Error("counted from before the sleep")
	}
	tick(2 * time.Minute)
	if !s.silent(now, most) {
		t.Error("it is never silent")
	}
	now = now.Add(-8 * time.Hour) // the clock is set back
	h.awake.since(now)
	if woke := h.awake.since(now.Add(glance)); woke.After(now) {
		t.Errorf("awake since %s, which is to come", woke.Sub(now))
	}
	now = now.Add(8 * time.Hour)
	s.known.Connected = true
	if s.silent(now, most) {
		t.Error("connected, and silent")
	}
}
