package logpane

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks/eventually"
	"ocaptain/theme"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/logs"
)

// present is the time of the first line.
var present = time.Date(2026, 3, 1, 11, 12, 12, 0, time.UTC)

// The golden screens show times, which are local.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// rig is a pane, the index that feeds it, and the voyage of both.
type rig struct {
	t       testing.TB
	pane    *Pane
	dir     fleet.Dir
	batches chan logs.Batch
	ended   chan error
}

// board returns a rig whose pane holds up to most records.
func board(t testing.TB, most int) *rig {
	t.Helper()
	theme.Activate(theme.Dark)
	r := &rig{t: t, pane: newPane(most), dir: fleet.Dir(t.TempDir()), batches: make(chan logs.Batch), ended: make(chan error, 1)}
	if err := os.Mkdir(r.dir.LogsDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

// read starts feeding the pane.
func (r *rig) read() {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		r.ended <- logs.IndexVoyage(ctx, r.dir, func(b logs.Batch) {
			select {
			case r.batches <- b:
			case <-ctx.Done():
			}
		})
	}()
	r.t.Cleanup(func() {
		cancel()
		if err := <-r.ended; err != nil && !errors.Is(err, context.Canceled) {
			r.t.Errorf("index ended with %v", err)
		}
	})
}

// log writes lines of a ship.
func (r *rig) log(ship string, lines ...fleet.LogLine) {
	r.t.Helper()
	f, err := os.OpenFile(r.dir.LogFile(ship), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	var b strings.Builder
	for _, l := range lines {
		l.Ship = ship
		raw, err := json.Marshal(l)
		if err != nil {
			r.t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	if _, err := f.WriteString(b.String()); err != nil {
		r.t.Fatal(err)
	}
}

// until applies batches and does the pane's work until ok returns true.
func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	deadline := eventually.Context(r.t).Done()
	for r.work(); !ok(); r.work() {
		select {
		case b := <-r.batches:
			r.pane.AddBatch(b)
		case err := <-r.ended:
			r.ended <- err
			r.t.Fatalf("ended before %s: %v", what, err)
		case <-deadline:
			r.t.Fatalf("no %s", what)
		}
	}
}

// lines waits until n lines pass the filters.
func (r *rig) lines(n int) {
	r.t.Helper()
	r.until("lines", func() bool {
		_, whole := r.pane.book.Indexed()
		return whole && r.pane.book.Lines().Len() == n
	})
}

// work runs the pane's pending reads.
func (r *rig) work() {
	for r.pane.Advance(time.Second) {
	}
	for work := r.pane.PendingReads(); len(work) > 0; work = r.pane.PendingReads() {
		for _, w := range work {
			r.pane.ApplyResult(w())
		}
	}
}

// screen returns the drawn pane, after reading what it needs.
func (r *rig) screen(width, height int) []string {
	r.pane.View(width, height)
	r.work()
	return r.pane.View(width, height)
}

func (r *rig) golden(name string, width, height int) {
	r.t.Helper()
	rows := r.screen(width, height)
	golden.Screen(r.t, name, strings.Join(rows, "\n")+"\n"+r.pane.Info(), width, height+1)
}

func say(second int, kind, text string) fleet.LogLine {
	return fleet.LogLine{At: present.Add(time.Duration(second) * time.Second), Role: "worker", Kind: kind, Turn: 1 + second/4, Text: text}
}

// story writes some lines of three ships.
func (r *rig) story() {
	r.log("ship-1",
		say(0, "say", "I will read the authentication module first, to see how sessions are kept, and then write the migration that moves them into Redis."),
		say(2, "tool", "Read src/auth/session.go"),
		say(4, "tool", "Bash go test ./src/auth/..."),
		say(6, "result", "ok\tsrc/auth\t0.412s\nok\tsrc/auth/token\t0.101s"),
		say(20, "error", "panic: runtime error: index out of range [3] with length 3"),
		say(22, "say", "The panic comes from the parser of tokens."),
		say(24, "tool", "Edit src/auth/token/parse.go"))
	r.log("ship-12",
		say(1, "tool", "Write db/migrations/0007_sessions.sql"),
		say(3, "note", "completed task 4: schema"),
		say(21, "say", "日本語のコメントを直します ✓"),
		say(23, "tool", "Bash psql -c '\\d sessions'"))
	planner := say(5, "say", "Split task 9 into 9a and 9b.")
	planner.Role = "planner"
	r.log("ship-3", planner, say(30, "say", "\x1b]52;c;b3du\x07\x1b[2Jharmless \u202etext"))
}
