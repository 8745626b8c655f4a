//go:build long

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"ocaptain/fleet"
	"ocaptain/fleet/summed"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/redislog"
)

// TestHubsRepair replaces the Redis of two hubs by an old copy, and somebody goes on with that. Both say so and change nothing, until their
// captains repair the session: what is merged is complete and not done again, and what is asked for then is done.
func TestHubsRepair(t *testing.T) {
	t.Parallel()
	h := newHubs(t, planOf(`{"title": "one", "run": "echo one >one"}, {"title": "two", "run": "echo two >two"}`), "10m", []string{"--workers", "1", "--validators", "0"}, []string{"--workers", "1"})
	key := redislog.Key(h.session.ID())
	if out := h.begins.ocaptain("repair", "--from", "git"); !strings.Contains(out, "nothing was changed") {
		t.Errorf("repair of a session that is whole: %s", out)
	}
	old, err := redis.Bytes(h.redis.Client.Do(t.Context(), "DUMP", key))
	if err != nil {
		t.Fatal(err)
	}
	h.begins.ocaptain("add", "--voyage", h.session.ID(), planOf(`{"title": "four", "run": "echo four >four"}`))
	h.begins.allDone(h.session, 5)
	h.noise(300)
	for _, d := range []fleet.Dir{h.session, h.joined} {
		eventually.Holds(t, "both hubs have all that", func() bool {
			raw, err := os.ReadFile(d.Events())
			return err == nil && bytes.Count(raw, []byte(`"at":"2026-01-01T`)) == 300
		})
	}
	for _, c := range []*captain{h.begins, h.joins} {
		kill(c.helm())
	}
	if _, err := h.redis.Client.Do(t.Context(), "RESTORE", key, 0, old, "REPLACE"); err != nil {
		t.Fatal(err)
	}
	h.noise(10)
	for c, d := range map[*captain]fleet.Dir{h.begins: h.session, h.joins: h.joined} {
		c.ocaptain("needs") // starts helm
		c.until(d, "the captain is told", func(b fleet.Board) bool { return strings.Contains(b.Redis.Why, "has gone on from there") })
	}
	for _, c := range []*captain{h.begins, h.joins} {
		if out, code := c.try("repair", "--from", "git"); code != 4 || !strings.Contains(out, "--force") {
			t.Errorf("without a word: exit %d\n%s", code, out)
		}
		if out, code := c.try("repair", "--from", "git,beads", "-f"); code != 4 || !strings.Contains(out, "no issues of Beads") {
			t.Errorf("from issues that there are none of: exit %d\n%s", code, out)
		}
		t.Log(c.ocaptain("repair", "--from", "git", "-f"))
	}
	h.joins.ocaptain("add", "--voyage", h.joined.ID(), planOf(`{"title": "three", "run": "echo three >three"}`))
	h.done(7)
}

// noise appends entries to the log that change nothing, over many hours: more than a Redis forgets that is killed.
func (h *hubs) noise(n int) {
	h.Helper()
	var opens fleet.Admission
	if err := summed.Read(h.session.Admission(), &opens); err != nil {
		h.Fatal(err)
	}
	log, err := redislog.Open(redislog.Place{URL: h.redis.URL, Password: redisPassword, Session: h.session.ID(), Secret: opens.Secret})
	if err != nil {
		h.Fatal(err)
	}
	defer log.Close()
	at, err := log.Last(h.Context())
	for done := 0; done < n && err == nil; {
		when := time.Date(2026, 1, 1, 0, done, 0, 0, time.UTC).Format(time.RFC3339)
		newer, mine, e := log.Append(h.Context(), at, [][]byte{fmt.Appendf(nil, `{"at":"%s","kind":"task.alive","data":[{}]}`, when)}, false)
		if err = e; err == nil && mine > 0 {
			done++
		}
		if err == nil {
			at = newer[len(newer)-1].Mark
		}
	}
	if err = errors.Join(err, h.Context().Err()); err != nil {
		h.Fatal(err)
	}
}
