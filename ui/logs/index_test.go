package logs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// The index holds the same lines in the same order as ShowExisting, and their positions.
func TestIndexIsThePast(t *testing.T) {
	d := damagedVoyage(t)
	logged(t, d, "ship-7", line(3, "of the same time"), fleet.LogLine{At: present, Kind: "silent"}, line(2, "late"))
	want := texts(t, d, Query{}, -1)
	s := indexed(t, d, 1000)
	s.until("index", func(b *Book) bool { _, whole := b.Indexed(); return whole && b.Len() == len(want) })
	s.mu.Lock()
	defer s.mu.Unlock()
	got := said(s.book)
	slices.Sort(got) // a late line has another place when read backwards
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %d lines, want %d", len(got), len(want))
	}
}

// If there are more records than it holds, the index has the newest.
func TestIndexOfTooMany(t *testing.T) {
	d := logVoyage(t)
	for i := range 3000 {
		logged(t, d, fmt.Sprintf("ship-%d", i%3), line(i, fmt.Sprint(i)))
	}
	s := indexed(t, d, 1200)
	s.until("index", func(b *Book) bool { _, whole := b.Indexed(); return whole && b.Len() == 1200 })
	s.mu.Lock()
	defer s.mu.Unlock()
	got := said(s.book)
	for i, text := range got {
		if text != fmt.Sprint(1800+i) {
			t.Fatalf("line %d of %d is %q", i, len(got), text)
		}
	}
}

func TestIndexFollows(t *testing.T) {
	d := fleet.Dir(filepath.Join(t.TempDir(), "voyage-0a1b2c3d4e5f"))
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		t.Fatal(err)
	}
	s := indexed(t, d, 1000)
	s.until("empty book", func(b *Book) bool { _, whole := b.Indexed(); return whole })
	check := func(want ...string) {
		t.Helper()
		var got []string
		s.until(fmt.Sprintf("%q", want), func(b *Book) bool {
			got = said(b)
			return slices.Equal(got, want)
		})
	}
	makeLogs(t, d)
	logged(t, d, "ship-0", line(1, "one"))
	check("one")
	write(t, d, "ship-0", `{"t":"2026-03-01T11:12:20Z","ship":"ship-0","text":"torn `)
	logged(t, d, "ship-1", line(3, "two"), fleet.LogLine{At: present, Kind: "silent"})
	check("one", "two")
	write(t, d, "ship-0", "word\"}\nrubbish\n")
	check("one", "two", "torn word")
	if err := os.Truncate(d.LogFile("ship-0"), 0); err != nil {
		t.Fatal(err)
	}
	check("two")
	logged(t, d, "ship-0", line(4, "anew"))
	check("two", "anew")
	logged(t, d, "\x1b[2J", line(5, "of a ship that cannot be named"))
	logged(t, d, "ship-3", line(5, "three"))
	check("two", "anew", "three")
	if err := os.RemoveAll(string(d)); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("ended with %v", err)
	}
	s.ended <- nil
}

func TestNumber(t *testing.T) {
	for ship, want := range map[string]int{"ship-0": 0, "ship-17": 17, "hand": -1, "ship-": -1, "7": 7} {
		if got := (File{Ship: ship}).Number(); got != want {
			t.Errorf("%s: %d", ship, got)
		}
	}
}
