package hub

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/origin"
)

// BenchmarkTenThousand measures a claim and a completion in a repository of 10,000 files, with the remote in a
// process of its own: checkout after another remote's merge of one file, snapshot, and merge of one changed and one
// new file. For comparison it does the same work with plain git between plain clones.
func BenchmarkTenThousand(b *testing.B) {
	ctx := context.Background()
	source := b.TempDir()
	fill(b, source, 10_000)
	h, _ := start(b, source)
	ships := []*lined{{dir: filepath.Join(b.TempDir(), "workspace")}, {dir: filepath.Join(b.TempDir(), "workspace")}}
	defer ships[0].end()
	defer ships[1].end()
	hand := byHand(b, source)
	first := time.Now()
	for i, s := range ships {
		if _, err := h.Checkout(ctx, s, fmt.Sprint("ship-", i), ""); err != nil {
			b.Fatal(err)
		}
	}
	clone := time.Since(first) / 2
	var checkouts, merges, snaps, idle, takes, gives []time.Duration
	n := 0
	for b.Loop() {
		n++
		s := ships[n%2]
		name := fmt.Sprint("ship-", n%2)
		t := time.Now()
		if _, err := h.Checkout(ctx, s, name, ""); err != nil {
			b.Fatal(err)
		}
		checkouts = append(checkouts, time.Since(t))
		put(b, s.dir, fmt.Sprintf("dir%d/sub%d/file%d.txt", n%40, n%12, n), fmt.Sprint("new ", n))
		put(b, s.dir, "dir1/changed.txt", fmt.Sprint("changed ", n))
		t = time.Now()
		if _, err := h.Snapshot(ctx, s, name); err != nil {
			b.Fatal(err)
		}
		snaps = append(snaps, time.Since(t))
		t = time.Now()
		if _, err := h.Snapshot(ctx, s, name); err != nil {
			b.Fatal(err)
		}
		idle = append(idle, time.Since(t))
		put(b, s.dir, "dir2/changed.txt", fmt.Sprint("changed ", n))
		t = time.Now()
		if _, err := h.Merge(ctx, s, sync.Merge{Name: name, Subject: "task", Author: "Ship <ship@example.org>", Trailers: [][2]string{{"Ocaptain-Task", fmt.Sprint(n)}}, Keep: fmt.Sprint("refs/ocaptain/tasks/", n)}); err != nil {
			b.Fatal(err)
		}
		merges = append(merges, time.Since(t))
		t = time.Now()
		hand.take(n)
		takes = append(takes, time.Since(t))
		hand.work(n)
		t = time.Now()
		hand.give(n)
		gives = append(gives, time.Since(t))
	}
	for what, d := range map[string][]time.Duration{"checkout": checkouts, "merge": merges, "snapshot": snaps, "idle-snapshot": idle, "checkout-by-hand": takes, "merge-by-hand": gives} {
		slices.Sort(d)
		b.ReportMetric(float64(d[len(d)/2].Microseconds())/1000, "ms/"+what+"-p50")
		b.ReportMetric(float64(d[len(d)*99/100].Microseconds())/1000, "ms/"+what+"-p99")
	}
	half := func(d []time.Duration) float64 { return float64(d[len(d)/2]) }
	b.ReportMetric(half(checkouts)/half(takes), "x/checkout")
	b.ReportMetric(half(merges)/half(gives), "x/merge")
	b.ReportMetric(float64(clone.Milliseconds()), "ms/first-checkout")
	b.ReportMetric(0, "ns/op")
}

// fill makes a repository with n files at dir.
func fill(t testing.TB, dir string, n int) {
	t.Helper()
	gitOutput(t, dir, "init", "-q", "-b", "main")
	for i := range n {
		put(t, dir, fmt.Sprintf("dir%d/sub%d/file%d.txt", i%40, i/40%12, i), fmt.Sprintf("file %d\nline\nline\nline\n", i))
	}
	gitOutput(t, dir, "add", "-A")
	gitOutput(t, dir, "commit", "-q", "-m", "begin")
}

// start opens a hub on a new clone of source.
func start(t testing.TB, source string) (*Hub, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "workspace")
	if _, err := origin.Prepare(t.Context(), dir, source, "voyage", origin.Options{}); err != nil {
		t.Fatal(err)
	}
	h, err := Open(t.Context(), dir, "voyage", Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h, dir
}

// hands are a repository and two clones of it, between which the benchmark moves work with plain git.
type hands struct {
	*testing.B
	hub    string
	clones [2]string
}

func byHand(b *testing.B, source string) *hands {
	b.Helper()
	h := &hands{B: b, hub: filepath.Join(b.TempDir(), "hub")}
	gitOutput(b, source, "clone", "-q", source, h.hub)
	for i := range h.clones {
		h.clones[i] = filepath.Join(b.TempDir(), "clone")
		gitOutput(b, source, "clone", "-q", h.hub, h.clones[i])
	}
	return h
}

// take resets a clone to the branch.
func (h *hands) take(n int) {
	gitOutput(h, h.clones[n%2], "fetch", "-q", "origin", "main")
	gitOutput(h, h.clones[n%2], "reset", "-q", "--hard", "FETCH_HEAD")
}

func (h *hands) work(n int) {
	put(h, h.clones[n%2], fmt.Sprintf("dir%d/sub%d/file%d.txt", n%40, n%12, n), fmt.Sprint("new ", n))
	for _, dir := range []string{"dir1", "dir2"} {
		put(h, h.clones[n%2], dir+"/changed.txt", fmt.Sprint("changed ", n))
	}
}

// give commits the work in a clone and merges it into the branch.
func (h *hands) give(n int) {
	gitOutput(h, h.clones[n%2], "add", "-A")
	gitOutput(h, h.clones[n%2], "commit", "-q", "-m", fmt.Sprint(n))
	gitOutput(h, h.hub, "fetch", "-q", h.clones[n%2], "HEAD")
	gitOutput(h, h.hub, "merge", "-q", "--no-ff", "--no-edit", "FETCH_HEAD")
}
