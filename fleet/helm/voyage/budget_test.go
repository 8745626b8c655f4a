package voyage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/proto"
)

// A ship that fills the hub with its log waits for each answer, and is named. Another one is not slowed.
func TestLogFlood(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	flood, _ := fakeShip(t, v, "ship-0")
	quiet, _ := fakeShip(t, v, "ship-1")
	data, err := json.Marshal(proto.Log{Kind: "say", Text: strings.Repeat("x", clean.MaxText)})
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context()) // the caller has left
	cancel()
	for _, s := range []*Ship{flood, quiet} {
		if s.logs, err = shiplog.Open(filepath.Join(t.TempDir(), "log.jsonl")); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.logs.Close)
	}
	logged := func(s *Ship, seq int64) time.Duration {
		t.Helper()
		var batch proto.Events
		for n := range int64(100) {
			batch.Events = append(batch.Events, proto.Event{Seq: seq*100 + n + 1, At: time.Now(), Kind: proto.KindLog, Data: data})
		}
		wait, err := s.takeEvents(batch)
		if err != nil {
			t.Fatal(err)
		}
		return wait
	}
	for seq := int64(0); logged(flood, seq) <= 0; seq++ {
		if seq > 1000 {
			t.Fatal("nothing bounds it")
		}
	}
	if wait := logged(quiet, 0); wait > 0 {
		t.Errorf("another ship waits %s", wait)
	}
	if err := flood.feed.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := flood.events(gone, proto.Events{}); err == nil {
		t.Error("a second call gets past one that waits")
	}
	flood.feed.Unlock()
	now := time.Now()
	if got, since := flood.State().Budgets.Slowed(now); !slices.Equal(got, []string{"log"}) || since.IsZero() {
		t.Errorf("slowed: %q since %s", got, since)
	}
	if got, _ := flood.State().Budgets.Slowed(now.Add(time.Hour)); len(got) > 0 {
		t.Errorf("it is quiet for an hour and slowed: %q", got)
	}
	if got, _ := quiet.State().Budgets.Slowed(now); len(got) > 0 {
		t.Errorf("the other is slowed: %q", got)
	}
}

// A ship that is refused, and whose work conflicts, without end fills neither the journal nor the board.
func TestNotesFlood(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	flood, _ := fakeShip(t, v, "ship-0")
	quiet, _ := fakeShip(t, v, "ship-1")
	v.Notes.Add(fleet.Note{Ship: quiet.Name, Text: "is heard"})
	v.Book.Flush()
	before, err := os.Stat(v.Dir.Events())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		long := fmt.Sprint(i, strings.Repeat("x", 4000))
		flood.Conflicted(v.Store.Snapshot().Task("1"), slices.Repeat([]string{long}, 100))
		_ = flood.Refuse("1", errors.New(long))
		flood.PassNotes("1", []string{long, long + "y"})
	}
	v.Book.Flush()
	after, err := os.Stat(v.Dir.Events())
	if err != nil {
		t.Fatal(err)
	}
	if grew := after.Size() - before.Size(); grew > 2<<20 {
		t.Errorf("the journal grew by %d KB", grew>>10)
	}
	if n := v.Records.Conflicts(flood.Name); n != 1000 {
		t.Errorf("%d conflicts", n)
	}
	if !slices.ContainsFunc(reads(v, v.Notes.List), func(n fleet.Note) bool { return n.Ship == quiet.Name }) {
		t.Errorf("notes of another ship are gone")
	}
}
