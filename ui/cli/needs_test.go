package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/fleet/private/privatetest"
	"ocaptain/tasks/eventually"
	screen "ocaptain/ui/dash/golden"
)

// The table of needs in help equals the needs in the code.
func TestHelpHasTheNeeds(t *testing.T) {
	const path = "help/attention.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(raw), "|")
	want := head + need.Table()
	if want == string(raw) {
		return
	}
	if !screen.Updating() {
		t.Fatal("the needs in help are not those in the code; write them with: go test ./ui/cli -run TestHelpHasTheNeeds -update")
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestNeedsView(t *testing.T) {
	for _, width := range []int{60, 120} {
		b, _ := testBridge(t, width)
		_, board := loadTest(t, b)
		var out bytes.Buffer
		writeNeeds(&out, asView(b, board).Needs, b.now(), width)
		checkLines(t, out.String(), width)
		golden(t, map[int]string{60: "needs-60.txt", 120: "needs-120.txt"}[width], ansi.Strip(out.String()))
	}
}

// A wait for the end of a voyage tells what needs the captain, and goes on.
func TestWaitTellsNeeds(t *testing.T) {
	b, _ := testBridge(t, 0)
	d, _ := loadTest(t, b)
	ctx, cancel := context.WithCancel(eventually.Context(t))
	defer cancel()
	var said strings.Builder
	b.err = writerFunc(func(p []byte) {
		if said.Write(p); strings.Contains(said.String(), "asks you") {
			cancel()
		}
	})
	if code, err := b.wait(ctx, d, false); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %d, %v, and has said %q", code, err, said.String())
	}
}

// writerFunc is called with what is written.
type writerFunc func(p []byte)

func (w writerFunc) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// Status, needs and wait list the same needs. The exit code of wait says how the wait ended.
func TestNeedsAreOneList(t *testing.T) {
	t.Cleanup(privatetest.Runtime())
	for _, c := range []struct {
		change func(*fleet.Board)
		args   []string
		code   int
		prints string
	}{
		{func(*fleet.Board) {}, []string{"--until", "needs"}, waitNeeds, "ship-1, task 4 asks you"},
		{func(*fleet.Board) {}, []string{"--timeout", "1ms"}, waitLate, ""},
		{func(*fleet.Board) {}, []string{"--until", "lunch"}, Usage, ""},
		{func(*fleet.Board) {}, []string{"--timeout", "-1s"}, Usage, ""},
		{func(b *fleet.Board) { b.Phase = fleet.Complete }, nil, waitDone, "is done: every task is merged and verified"},
		{func(b *fleet.Board) { b.Phase, b.Verify.Output = fleet.VerifyFailed, "2 tests fail" }, nil, waitNeeds, "2 tests fail"},
		{func(b *fleet.Board) { b.Phase, b.Verify.Passed = fleet.Sunk, false }, nil, waitNeeds, "was sunk before it was done"},
	} {
		b, out := testBridge(t, 0)
		b.lasting = t.Context()
		_, board := loadTest(t, b)
		d := fleet.Dir(filepath.Join(t.TempDir(), testVoyage))
		if err := os.CopyFS(string(d), os.DirFS(filepath.Join(b.hub.Voyages, testVoyage))); err != nil {
			t.Fatal(err)
		}
		b.hub.Voyages = filepath.Dir(string(d))
		c.change(&board)
		writeJSON(t, d.BoardFile(), board)
		hostileHelm(t, b.hub, board, false)
		root := newRoot(b)
		root.SetArgs(append([]string{"wait", testVoyage}, c.args...))
		if code := exitCode(root.ExecuteContext(t.Context())); code != c.code || !strings.Contains(out.String(), c.prints) {
			t.Errorf("wait %v ends with %d and says %q", c.args, code, out)
		}
		var lists [2][]need.Need
		for i, words := range []string{"needs", "status"} {
			var raw bytes.Buffer
			b.raw = &raw
			root := newRoot(b)
			root.SetArgs([]string{words, testVoyage, "--json"})
			if err := root.ExecuteContext(t.Context()); err != nil {
				t.Fatal(err)
			}
			into := any(&lists[i])
			if words == "status" {
				into = &struct{ Needs *[]need.Need }{&lists[i]}
			}
			if err := json.Unmarshal(raw.Bytes(), into); err != nil {
				t.Fatalf("%v: %s", err, raw.String())
			}
		}
		if a, b := len(lists[0]), len(lists[1]); a != b {
			t.Errorf("needs lists %d, status %d", a, b)
		}
	}
}
