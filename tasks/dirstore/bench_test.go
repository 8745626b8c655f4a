package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/redislog/redistest"
	"ocaptain/tasks/storetest"
)

// large returns the store of a voyage with 10,000 tasks.
func large(b *testing.B) (closing, directory) {
	b.Helper()
	home := b.TempDir()
	s := openAt(b, home, nil)
	if _, err := s.Add(b.Context(), storetest.Graph(10_000, 1)); err != nil {
		b.Fatal(err)
	}
	flush(b, s)
	return s, directory{b, filepath.Join(home, "tasks")}
}

// BenchmarkClaims measures claims in a store whose directory already shows all tasks, as it does when a voyage
// starts.
func BenchmarkClaims(b *testing.B) { storetest.BenchmarkClaims(b, shown(fresh)) }

// BenchmarkSharedClaims is BenchmarkClaims for tasks in a Redis.
func BenchmarkSharedClaims(b *testing.B) {
	storetest.BenchmarkClaims(b, shown(shared(redistest.Start(b))))
}

// shown makes stores in which Add waits for the files.
func shown(fresh storetest.Fresh) storetest.Fresh {
	return func(t testing.TB) storetest.Opener {
		opener := fresh(t)
		return func(t testing.TB) tasks.Store { return flushed{opener(t).(flusher)} }
	}
}

type flusher interface {
	tasks.Store
	Flush(ctx context.Context) error
}

// flushed is a store in which Add waits for the files.
type flushed struct{ flusher }

func (f flushed) Add(ctx context.Context, add []tasks.Task) ([]tasks.Task, error) {
	added, err := f.flusher.Add(ctx, add)
	return added, errors.Join(err, f.Flush(ctx))
}

// BenchmarkLoad10k opens a voyage of 10,000 tasks: from the journal, and until the view has
// compared every file.
func BenchmarkLoad10k(b *testing.B) {
	s, d := large(b)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	home := filepath.Dir(d.dir)
	var opened, compared time.Duration
	for b.Loop() {
		start := time.Now()
		s := openAt(b, home, nil)
		opened += time.Since(start)
		if n := len(s.Snapshot().Tasks); n != 10_000 {
			b.Fatal(n)
		}
		flush(b, s)
		compared += time.Since(start)
		s.Close()
	}
	b.ReportMetric(float64(opened.Milliseconds())/float64(b.N), "ms/open")
	b.ReportMetric(float64(compared.Milliseconds())/float64(b.N), "ms/compared")
}

// BenchmarkOneChange measures single changes among 10,000 tasks: a claim, from the request to its answer and until
// the file shows it; the next snapshot; and an agent's metadata, from writing the file to a watcher of the store (100
// ms of it are the debounce).
func BenchmarkOneChange(b *testing.B) {
	s, d := large(b)
	defer s.Close()
	b.Run("claim", func(b *testing.B) {
		var took, shown []time.Duration
		for i := 0; b.Loop(); i++ {
			start := time.Now()
			g, err := s.Claim(b.Context(), "ship", "")
			if err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
			if i%10 == 0 {
				flush(b, s)
				shown = append(shown, time.Since(start))
			}
			if err := s.Requeue(b.Context(), tasks.Requeue{Task: g.Task.ID}); err != nil {
				b.Fatal(err)
			}
		}
		report(b, took, "claim")
		report(b, shown, "file")
	})
	b.Run("snapshot", func(b *testing.B) {
		var took []time.Duration
		for i := 0; b.Loop(); i++ {
			if err := s.Edit(b.Context(), tasks.Edit{Task: "1", Subject: fmt.Sprint(i)}); err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			s.Snapshot()
			took = append(took, time.Since(start))
		}
		report(b, took, "snapshot")
	})
	b.Run("edit", func(b *testing.B) {
		flush(b, s)
		watch := s.Watch(b.Context())
		var took []time.Duration
		for i := 0; b.Loop(); i++ {
			note := fmt.Sprint("note ", b.N, i)
			d.edit("5000", func(t *tasks.Task) { t.Metadata["note"] = note })
			start := time.Now()
			for snapshot := range watch {
				if snapshot.Task("5000").Metadata["note"] == note {
					break
				}
			}
			took = append(took, time.Since(start))
			eventually.Holds(b, "the file is ours again", func() bool { return d.task("5000").Metadata["note"] == note })
		}
		report(b, took, "edit")
	})
}

// report reports the median and the 99th percentile of took.
func report(b *testing.B, took []time.Duration, what string) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-"+what+"-p50")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-"+what+"-p99")
}
