package dirstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"ocaptain/tasks/redislog"
	"ocaptain/tasks/redislog/redistest"
	"ocaptain/tasks/storetest"
)

// BenchmarkSharedReplay measures how long a hub that joins takes to read a log of 100,000 entries, and to open its copy of that again.
func BenchmarkSharedReplay(b *testing.B) {
	const all, entries = 10_000, 100_000
	server := redistest.Start(b)
	first := openHub(b, server, "long", b.TempDir())
	if _, err := first.Add(b.Context(), storetest.Graph(all, 1)); err != nil {
		b.Fatal(err)
	}
	if err := first.Close(); err != nil {
		b.Fatal(err)
	}
	log, err := redislog.Open(redislog.Place{URL: server.URL, Session: "long", Secret: "secret of long"})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	at, err := log.Last(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for epoch := 1; at.Number < entries; epoch++ {
		for i := range all {
			claim := fmt.Sprintf(`{"task":"%d","owner":"worker-%d","epoch":%d}`, i+1, i%100, epoch)
			at = appended(b, log, at, "claimed", claim)
			at = appended(b, log, at, "requeued", claim)
		}
	}
	size, err := redis.Int(server.Client.Do(b.Context(), "MEMORY", "USAGE", redislog.Key("long"), "SAMPLES", 0))
	if err != nil {
		b.Fatal(err)
	}
	var joined, opened time.Duration
	for b.Loop() {
		home := b.TempDir()
		begun := time.Now()
		h := caughtUp(b, server, home)
		joined += time.Since(begun)
		if err := h.Close(); err != nil {
			b.Fatal(err)
		}
		begun = time.Now()
		h = caughtUp(b, server, home)
		opened += time.Since(begun)
		if n := len(h.Snapshot().Tasks); n != all {
			b.Fatalf("%d tasks", n)
		}
		_ = h.Close()
	}
	b.ReportMetric(float64(size)/(1<<20), "MiB")
	b.ReportMetric(joined.Seconds()/float64(b.N), "s/join")
	b.ReportMetric(opened.Seconds()/float64(b.N), "s/open")
}

// appended adds an entry to a log, and returns its mark.
func appended(b *testing.B, log *redislog.Log, at redislog.Mark, kind, data string) redislog.Mark {
	entry := fmt.Sprintf(`{"at":"2026-01-01T00:00:00Z","kind":"task.%s","data":[%s]}`, kind, data)
	newer, mine, err := log.Append(b.Context(), at, [][]byte{[]byte(entry)}, false)
	if err != nil || mine == 0 {
		b.Fatal(mine, err)
	}
	return newer[0].Mark
}

// caughtUp returns a hub's store of the session "long" that has all entries of the log.
func caughtUp(b *testing.B, server *redistest.Server, home string) hub {
	h := openedHub(b, server, "long", home)
	if err := h.CatchUp(context.WithoutCancel(b.Context())); err != nil {
		b.Fatal(err)
	}
	return h
}
