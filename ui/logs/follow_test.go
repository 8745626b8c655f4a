package logs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks/eventually"
)

func TestFollow(t *testing.T) {
	d := fleet.Dir(t.TempDir())
	ctx, cancel := eventually.WithPatience(t.Context())
	defer cancel()
	got := make(chan string, 100)
	done := make(chan error, 1)
	go func() {
		done <- Follow(ctx, d, matching("o"), Ends{}, func(batch []Line) error {
			for _, l := range batch {
				got <- l.Words
			}
			return nil
		})
	}()
	expect := func(want ...string) {
		t.Helper()
		for _, w := range want {
			select {
			case g := <-got:
				if g != w {
					t.Fatalf("got %q, want %q", g, w)
				}
			case err := <-done:
				t.Fatalf("ended: %v", err)
			case <-ctx.Done():
				t.Fatalf("no %q", w)
			}
		}
	}
	makeLogs(t, d) // Follow began before the logs exist
	logged(t, d, "ship-0", line(1, "one"), line(2, "filtered"))
	expect("one")
	logged(t, d, "ship-1", line(3, "two"))
	expect("two")
	write(t, d, "ship-0", `{"t":"2026-03-01T11:12:20Z","ship":"ship-0","text":"torn `) // not a line yet
	write(t, d, "ship-0", "word\"}\n")
	expect("torn word")
	if err := os.Truncate(d.LogFile("ship-0"), 0); err != nil {
		t.Fatal(err)
	}
	logged(t, d, "ship-0", line(9, "anew of"))
	expect("anew of")
	many := make([]fleet.LogLine, 3000) // more than maxAtOnce
	for i := range many {
		many[i] = line(10+i, strings.Repeat("o", 3000))
	}
	logged(t, d, "ship-2", many...)
	for range many {
		expect(many[0].Text)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestFollowEndsWithTheVoyage(t *testing.T) {
	d := fleet.Dir(filepath.Join(t.TempDir(), "voyage-0a1b2c3d4e5f"))
	makeLogs(t, d)
	started := make(chan struct{}, 1)
	done := make(chan error, 1)
	go func() {
		done <- Follow(context.Background(), d, Query{}, Ends{}, func([]Line) error {
			select {
			case started <- struct{}{}:
			default:
			}
			return nil
		})
	}()
	<-started
	if err := os.RemoveAll(string(d)); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "gone") {
			t.Errorf("ended with %v", err)
		}
	case <-eventually.Context(t).Done():
		t.Fatal("follows a voyage that is gone")
	}
}
