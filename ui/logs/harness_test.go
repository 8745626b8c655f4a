package logs

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks/eventually"
)

// present is the time of the first line.
var present = time.Date(2026, 3, 1, 11, 12, 12, 0, time.UTC)

// logVoyage returns a voyage with only logs.
func logVoyage(t testing.TB) fleet.Dir {
	t.Helper()
	d := fleet.Dir(t.TempDir())
	makeLogs(t, d)
	return d
}

func makeLogs(t testing.TB, d fleet.Dir) {
	t.Helper()
	if err := os.MkdirAll(d.LogsDir(), 0o755); err != nil {
		t.Fatal(err)
	}
}

// logged appends lines to a ship's log, as helm does.
func logged(t testing.TB, d fleet.Dir, ship string, lines ...fleet.LogLine) {
	t.Helper()
	var b strings.Builder
	for _, l := range lines {
		l.Ship = ship
		raw, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	write(t, d, ship, b.String())
}

func write(t testing.TB, d fleet.Dir, ship, text string) {
	t.Helper()
	f, err := os.OpenFile(d.LogFile(ship), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func line(second int, text string) fleet.LogLine {
	return fleet.LogLine{At: present.Add(time.Duration(second) * time.Second), Role: "worker", Kind: "say", Text: text}
}

// shelf is a book that a running IndexVoyage fills.
type shelf struct {
	t     testing.TB
	mu    sync.Mutex
	book  *Book
	news  chan struct{}
	ended chan error
	stop  context.CancelFunc
}

// indexed runs IndexVoyage on a voyage until the test ends.
func indexed(t testing.TB, d fleet.Dir, most int) *shelf {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &shelf{t: t, book: NewBook(most), news: make(chan struct{}, 1), ended: make(chan error, 1), stop: cancel}
	go func() {
		s.ended <- IndexVoyage(ctx, d, func(b Batch) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.book.ApplyBatch(b, func(int64, *Line) {})
			select {
			case s.news <- struct{}{}:
			default:
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-s.ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("index ended with %v", err)
		}
	})
	return s
}

// until waits until ok accepts the book.
func (s *shelf) until(what string, ok func(b *Book) bool) {
	s.t.Helper()
	deadline := eventually.Context(s.t).Done()
	for {
		s.mu.Lock()
		done := ok(s.book)
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-s.news:
		case err := <-s.ended:
			s.ended <- err
			s.t.Fatalf("index ended before %s: %v", what, err)
		case <-deadline:
			s.t.Fatalf("no %s", what)
		}
	}
}

// settle completes the lists of a book.
func settle(b *Book) {
	for more := true; more; {
		more = b.Advance(time.Second)
	}
	for j := b.NextJob(func(int64) *Line { return nil }); j != nil; j = b.NextJob(func(int64) *Line { return nil }) {
		j.Run()
		b.Finish(j)
	}
}

// said returns the text of the records in Matches.
func said(b *Book) []string {
	settle(b)
	var refs []Ref
	l := b.Matches()
	for i := range l.Len() {
		ref, _ := b.RecordRef(l.Seq(i))
		refs = append(refs, ref)
	}
	words := ReadWords(b.Files(), refs)
	var all []string
	for _, ref := range refs {
		all = append(all, words[ref.Seq].Words)
	}
	return all
}
