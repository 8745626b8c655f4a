package logs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet"
)

// The size of the benchmark.
const (
	benchShips   = 100
	benchRecords = 1_000_000
)

// benchVoyage returns a voyage of a hundred ships with a million records. A third of them are
// states of an agent, as in practice.
func benchVoyage(b *testing.B) fleet.Dir {
	b.Helper()
	d := fleet.Dir(b.TempDir())
	if err := os.Mkdir(d.LogsDir(), 0o755); err != nil {
		b.Fatal(err)
	}
	begin := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	var buf bytes.Buffer
	for s := range benchShips {
		buf.Reset()
		ship := fmt.Sprintf("ship-%d", s)
		for i := range benchRecords / benchShips {
			at := begin.Add(time.Duration(i*benchShips+s) * 37 * time.Millisecond).Format(time.RFC3339Nano)
			if i%3 == 0 {
				fmt.Fprintf(&buf, `{"t":%q,"ship":%q,"role":"worker","kind":"agent.state","text":"","data":{"state":"waiting","why":"permission to run make, the %dth time"},"journal":"01JNQ0000000000000000000","seq":%d}`+"\n", at, ship, i, i*300)
				continue
			}
			fmt.Fprintf(&buf, `{"t":%q,"ship":%q,"role":"worker","kind":"tool","turn":%d,"task":"17","text":"Edit internal/server/handler_%d.go: the middleware of request %d said \"no\", so the retry goes through the queue and is tested once more","journal":"01JNQ0000000000000000000","seq":%d}`+"\n", at, ship, i/10+1, i%50, i*7, i*300)
		}
		if err := os.WriteFile(filepath.Join(d.LogsDir(), ship+".jsonl"), buf.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return d
}

// index reads all of a voyage into a book and returns when the first lines, and all of them, were there.
func index(b *testing.B, d fleet.Dir) (book *Book, first, all time.Duration) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	book = NewBook(Most)
	begin := time.Now()
	var mu sync.Mutex
	done := make(chan struct{})
	go func() {
		_ = IndexVoyage(ctx, d, func(batch Batch) {
			mu.Lock()
			defer mu.Unlock()
			book.ApplyBatch(batch, func(int64, *Line) {})
			if first == 0 && book.Len() >= firstLines {
				first = time.Since(begin)
			}
			if _, whole := book.Indexed(); whole && all == 0 {
				all = time.Since(begin)
				close(done)
			}
		})
	}()
	<-done
	mu.Lock()
	defer mu.Unlock()
	return book, first, all
}

func BenchmarkIndexMillion(b *testing.B) {
	d := benchVoyage(b)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		book, first, all := index(b, d)
		if book.Len() != benchRecords {
			b.Fatalf("%d records", book.Len())
		}
		for book.Advance(time.Second) {
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(first.Microseconds())/1e3, "first-ms")
		b.ReportMetric(float64(all.Microseconds())/1e3, "indexed-ms")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "heap-MB")
		b.ReportMetric(float64(after.Sys)/1e6, "sys-MB")
		runtime.KeepAlive(book)
	}
}

func BenchmarkSearchMillion(b *testing.B) {
	book, _, _ := index(b, benchVoyage(b))
	for _, pattern := range []string{"handler_49", "request 9[0-9]*7 said", "PERMISSION", "!retry"} {
		b.Run(pattern, func(b *testing.B) {
			grep, err := Search(pattern)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				book.SetFilter(Filter{Grep: grep})
				begin, slowest := time.Now(), time.Duration(0)
				owner := func(f func()) {
					begin := time.Now()
					f()
					slowest = max(slowest, time.Since(begin))
				}
				for more := true; more; {
					owner(func() { more = book.Advance(4 * time.Millisecond) })
				}
				for {
					var j *Job
					owner(func() { j = book.NextJob(func(int64) *Line { return nil }) })
					if j == nil {
						break
					}
					j.Run()
					owner(func() { book.Finish(j) })
				}
				b.ReportMetric(float64(time.Since(begin).Milliseconds()), "search-ms")
				b.ReportMetric(float64(slowest.Microseconds())/1e3, "slowest-step-ms")
				b.ReportMetric(float64(book.Matches().Len()), "hits")
			}
		})
	}
}

func BenchmarkScan(b *testing.B) {
	line := []byte(`{"t":"2026-03-01T10:00:00.123456789Z","ship":"ship-12","role":"worker","kind":"tool","turn":12,"task":"17","text":"Edit internal/server/handler_12.go: the middleware of request 12 said \"no\", so the retry goes through","journal":"01JNQ0000000000000000000","seq":12345}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, ok := parseRecord(line, 0, 0); !ok {
			b.Fatal("not a record")
		}
	}
}
