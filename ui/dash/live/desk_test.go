package live_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach/shiptest"
	"ocaptain/ui/dash/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is an agent that echoes what is typed.
const echo = "stty raw -echo; printf 'ready\r\n'; exec cat"

// fleet holds some ships and their views.
type fleet struct {
	*live.Views
	t       testing.TB
	ships   map[string]*shiptest.Ship
	notices atomic.Int64
	notice  chan struct{}
	timeout atomic.Int64 // the silence after which a ship counts as lost, 0 for the link's default
}

// look opens views of ships with these agents, named ship-0, ship-1, …
func look(t testing.TB, agents ...string) *fleet {
	t.Helper()
	f := &fleet{t: t, ships: map[string]*shiptest.Ship{}, notice: make(chan struct{}, 1)}
	for i, agent := range agents {
		f.ships[fmt.Sprintf("ship-%d", i)] = shiptest.Start(t, agent)
	}
	f.Views = live.NewViews("voyage-1", f.open, func() {
		f.notices.Add(1)
		select {
		case f.notice <- struct{}{}:
		default:
		}
	})
	t.Cleanup(f.Close)
	return f
}

func (f *fleet) open(_ context.Context, ship string) (*link.Link, error) {
	cfg := f.ships[ship].Config()
	cfg.Name, cfg.Interval, cfg.Timeout = ship, 100*time.Millisecond, time.Duration(f.timeout.Load())
	return link.Open(cfg)
}

// text returns what a view of this size shows, without styles.
func (f *fleet) text(ship string, width, height int) string {
	f.t.Helper()
	return ansi.Strip(strings.Join(f.rows(ship, width, height), "\n"))
}

var onlyStyles = regexp.MustCompile(`^(\x1b\[[0-9;:]*m|[^\x00-\x1f\x7f-\x9f])*$`)

// rows draws a view, and checks the rules of every view.
func (f *fleet) rows(ship string, width, height int) []string {
	f.t.Helper()
	rows := f.PaneOf(ship).View(width, height)
	if len(rows) != height {
		f.t.Fatalf("%d rows instead of %d", len(rows), height)
	}
	for _, r := range rows {
		if w := ansi.StringWidth(r); w != width {
			f.t.Fatalf("a row of %d cells instead of %d: %q", w, width, r)
		}
		if !onlyStyles.MatchString(r) {
			f.t.Fatalf("a row that is more than text and styles: %q", r)
		}
	}
	return rows
}

// until waits until ok returns true; it checks only after a notice.
func (f *fleet) until(what string, ok func() bool) {
	f.t.Helper()
	late := eventually.Context(f.t).Done()
	for !ok() {
		select {
		case <-f.notice:
		case <-late:
			f.t.Fatalf("not in time: %s", what)
		}
	}
}

func (f *fleet) shows(ship, text string) {
	f.t.Helper()
	f.until(ship+" shows "+text, func() bool { return strings.Contains(f.text(ship, 200, 50), text) })
}

// equal waits until the view shows the window of the ship's tmux.
func (f *fleet) equal(ship string) {
	f.t.Helper()
	got, want := "", ""
	defer func() {
		if f.t.Failed() {
			f.t.Logf("the view:\n%s\nthe ship:\n%s", got, want)
		}
	}()
	eventually.Holds(f.t, "the view equals the ship", func() bool {
		want = trim(f.ships[ship].Screen())
		got = trim(f.text(ship, 400, 120))
		return got == want && f.PaneOf(ship).IsLive()
	})
}

// trim removes spaces at the ends of lines, and empty lines at the end.
func trim(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
