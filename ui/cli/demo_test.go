package cli

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/fleet/summed"
)

// A demonstration whose disk is full says so, although its board does not change any more, and ends when the voyage does.
func TestPrintUntil(t *testing.T) {
	b, _ := testBridge(t, 0)
	out, in := io.Pipe()
	b.out = plainWriter{in}
	d := fleet.Dir(t.TempDir())
	board := fleet.Board{At: present, Phase: fleet.Sailing}
	board.Disk.Set(present.Add(-time.Minute), "the disk is full")
	write := func() {
		t.Helper()
		if err := summed.Write(d.BoardFile(), board, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	go func() {
		last, err := b.printUntil(t.Context(), d, func(b *fleet.Board) bool { return b.Phase.IsOver() })
		if err == nil && last.Phase != fleet.Complete {
			t.Errorf("it ends with a board of a voyage that is %s", last.Phase)
		}
		in.CloseWithError(err)
	}()
	var all []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if all = append(all, lines.Text()); strings.Contains(lines.Text(), "→") {
			board.Phase = fleet.Complete
			write()
		}
	}
	if got := strings.Join(all, "\n"); lines.Err() != nil || got != "! the hub cannot write: the disk is full, for 1m\n  → ocaptain doctor\n✓ complete" {
		t.Errorf("%v\n%s", lines.Err(), got)
	}
}

// A need is told once, and again when it was away for long.
func TestToldNeeds(t *testing.T) {
	told, here, now := toldNeeds{}, []need.Need{{Kind: fleet.NeedDisk}}, present
	var got []int
	for _, step := range []time.Duration{0, time.Second, time.Second, absence - 1, absence, 1} {
		now = now.Add(step)
		got = append(got, len(told.news(here, now)))
	}
	if want := []int{1, 0, 0, 0, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("news %v, want %v", got, want)
	}
}
