package telemetry

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/telemetry/usage/usagetest"
)

// openStore opens a store that is closed when the test ends.
func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// totalOf returns the sum that Load finds in a directory.
func totalOf(t *testing.T, dir string) int64 {
	t.Helper()
	s, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return input(s)
}

// copyDir copies a directory as it would be if the process were killed now.
func copyDir(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestKilledStore kills the process after each export, before and after the sums are saved, and in the middle of a line. The
// sender repeats the last export each time, as it got no answer.
func TestKilledStore(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 {
		s, err := Open(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if err := s.add(ship1, metricsOf(usagetest.Sample{Start: i - 1, At: i, Value: 1})); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.add(ship1, metricsOf(usagetest.Sample{Start: i, At: i + 1, Value: 1})); err != nil {
			t.Fatal(err)
		}
		switch i % 4 {
		case 0: // after writing sums.json
			s.mu.Lock()
			err = s.save()
			s.mu.Unlock()
		case 1: // between two files
			s.mu.Lock()
			err = s.next()
			s.mu.Unlock()
		case 2: // in the middle of a line
			_, err = s.file.WriteAt([]byte(`{"resourceMetrics":[{"resou`), s.at.Offset)
		}
		if err != nil {
			t.Fatal(err)
		}
		killed := copyDir(t, dir)
		s.Close()
		dir = killed
		if got := totalOf(t, dir); got != int64(i+1) {
			t.Fatalf("after export %d it sums %d", i+1, got)
		}
	}
}

// TestSumsFromLines loses sums.json: the lines give the same sums, even with values that no counter can have.
func TestSumsFromLines(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	for i, v := range []float64{1, 0.1, math.NaN(), math.Inf(1), -3, 1e300, 7} {
		if err := s.add(ship1, metricsOf(usagetest.Sample{Start: i, At: i + 1, Value: v, Metric: "claude_code.cost.usage"})); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.add(ship1, logsOf(usagetest.Event{Name: "tool_result", At: 1, Session: "a", Attrs: map[string]any{"success": "false"}})); err != nil {
		t.Fatal(err)
	}
	var want usage.Totals
	var count usage.Count
	s.View(func(s *usage.Sums) { want, count = s.Total(), s.Count() })
	s.Close()
	if err := os.Remove(sumsFile(dir)); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Total() != want || got.Count() != count || want.Cost != 8_100_000_000 || count.Invalid != 4 {
		t.Errorf("got %+v %+v, want %+v %+v", got.Total(), got.Count(), want, count)
	}
}

// TestKeep stores more than is kept: the oldest lines are dropped, but no sums.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	long := strings.Repeat("x", 1<<20)
	const n = 60
	for i := range n {
		e := metricsOf(usagetest.Sample{Start: i, At: i + 1, Value: 1})
		e.metrics.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).SetDescription(long)
		if err := s.add(ship1, e); err != nil {
			t.Fatal(err)
		}
		var size int64
		files, err := listLines(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			info, err := os.Stat(lines(dir, f))
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}
		if size > LeastKeep {
			t.Fatalf("%d bytes are kept", size)
		}
	}
	if _, err := os.Stat(lines(dir, 1)); err == nil {
		t.Error("the oldest lines are there")
	}
	if got := totalOf(t, dir); got != n {
		t.Errorf("it sums %d, want %d", got, n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []int{1, 2, 3, 4, 5} { // somebody removes all lines
		_ = os.Remove(lines(dir, f))
	}
	again := openStore(t, dir)
	if err := again.add(ship1, metricsOf(usagetest.Sample{Start: n, At: n + 1, Value: 1})); err != nil {
		t.Fatal(err)
	}
	if got := totalOf(t, dir); got != n+1 {
		t.Errorf("without its lines it sums %d, want %d", got, n+1)
	}
}

// TestOpenTwice opens a store that another Store has open.
func TestOpenTwice(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	if _, err := Open(dir, 0); !errors.Is(err, ErrOpen) {
		t.Errorf("got %v", err)
	}
	s.Close()
	openStore(t, dir)
}
