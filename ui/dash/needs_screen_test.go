package dash

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/need"
	"ocaptain/fleet/need/needtest"
	"ocaptain/tasks/eventually"
	"ocaptain/theme"
	"ocaptain/ui/launch"
	"ocaptain/ui/term"
)

// toldAfter returns how long each kind must have lasted, by the table of help, in the order of the table.
func toldAfter(t *testing.T) (kinds []fleet.NeedKind, after map[fleet.NeedKind]time.Duration) {
	after = map[fleet.NeedKind]time.Duration{}
	for _, row := range strings.Split(strings.TrimSpace(need.Table()), "\n")[2:] {
		cells := strings.Split(row, " | ")
		kind := fleet.NeedKind(strings.TrimPrefix(cells[0], "| "))
		kinds, after[kind] = append(kinds, kind), 0
		if span := cells[2][strings.LastIndex(cells[2], " ")+1:]; span != "once" {
			d, err := time.ParseDuration(span)
			if err != nil {
				t.Fatalf("%s is told after %q", kind, cells[2])
			}
			after[kind] = d
		}
	}
	return kinds, after
}

// desk is a terminal with the dashboard on it.
type desk struct {
	testing.TB
	mu     sync.Mutex
	screen *term.Screen
	news   chan struct{} // holds a token when the screen has changed
}

// newDesk runs the dashboard on a pseudo-terminal, until the test ends.
func newDesk(t testing.TB, o Options) *desk {
	t.Helper()
	const width, height = 140, 40
	d := &desk{TB: t, screen: term.New(width, height, 0), news: make(chan struct{}, 1)}
	master, tty, err := pty.Open()
	if err == nil {
		err = pty.Setsize(tty, &pty.Winsize{Cols: width, Rows: height})
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 64<<10)
		for err := error(nil); err == nil; {
			var n int
			n, err = master.Read(buf)
			d.mu.Lock()
			_, _ = d.screen.Write(buf[:n])
			d.mu.Unlock()
			select {
			case d.news <- struct{}{}:
			default:
			}
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	m := New(ctx, o)
	p := tea.NewProgram(m, tea.WithoutSignalHandler(), tea.WithInput(tty), tea.WithOutput(tty), tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithFPS(frames))
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	t.Cleanup(func() {
		p.Quit() // Quit waits for the reader of the terminal, which the end of a context does not
		if err := <-ended; err != nil {
			t.Error(err)
		}
		cancel()
		m.close()
		_ = tty.Close()
		_ = master.Close()
	})
	return d
}

// rows returns what the terminal shows.
func (d *desk) rows() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	width, height := d.screen.Size()
	rows := make([]string, height)
	for y := range rows {
		for x := range width {
			if c := d.screen.CellAt(x, y); c.Text != "" {
				rows[y] += c.Text
			} else if c.Width > 0 {
				rows[y] += " "
			}
		}
	}
	return rows
}

// sees waits until a row of the screen begins with a text, and returns when that was.
func (d *desk) sees(text string) time.Time {
	d.Helper()
	begins := func(row string) bool { return strings.HasPrefix(row, text) }
	for late := eventually.Context(d).Done(); !slices.ContainsFunc(d.rows(), begins); {
		select {
		case <-d.news:
		case <-late:
			d.Fatalf("the screen does not show %q; it shows:\n%s", text, strings.Join(d.rows(), "\n"))
		}
	}
	return time.Now()
}

// aHelm is a stand-in for helm: it answers hello until end is called.
func aHelm(t *testing.T, hub fleet.Hub) (end func()) {
	if err := os.MkdirAll(hub.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", api.Socket(hub))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/hello", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(api.Hello{API: api.API}) })
	mux.HandleFunc("/v1/alive", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: mux}
	go func() { _ = server.Serve(listener) }()
	end = func() { _ = server.Close() }
	t.Cleanup(end)
	return end
}

// TestEveryNeedOnScreen has each kind of need arise in a voyage on a real terminal: helm's files say it, or helm ends. The screen
// must name it. The log has the time since it could be known; the limit is 2 seconds.
func TestEveryNeedOnScreen(t *testing.T) {
	kinds, after := toldAfter(t)
	home, err := os.MkdirTemp("", "needs") // a short path, as a socket is below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	hub := fleet.Hub{
		Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"), Config: filepath.Join(home, "config"),
		Cache: filepath.Join(home, "cache"), Runtime: filepath.Join(home, "run"),
	}
	b := needtest.Calm(time.Now())
	s := stage{TB: t, dir: fleet.Dir(filepath.Join(hub.Voyages, b.Voyage.ID))}
	s.write(s.dir.Voyage(), b.Voyage)
	s.write(s.dir.FleetFile(), fleet.Fleet{Phase: b.Phase})
	s.write(s.dir.BoardFile(), b)
	end := aHelm(t, hub)
	var ahead atomic.Int64 // how far the dashboard's clock is ahead
	d := newDesk(t, Options{
		Hub: hub, Voyage: s.dir, Theme: theme.Dark, Quiet: true, Yard: launch.Yard{Hub: hub, Cwd: home},
		Now:  func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
		Helm: func(context.Context) (*api.Client, error) { return nil, errors.New(needtest.NoHelm) },
	})
	d.sees("╭─ [1] Agents")

	const ripens = 300 * time.Millisecond // time after the write at which the need becomes one: the screen must find that by itself
	took := func(kind fleet.NeedKind, from time.Time) {
		t.Helper()
		t.Logf("%-12s on the screen after %s", kind, d.sees(" ▲ "+needtest.Boards[kind].Says).Sub(from).Round(time.Millisecond))
	}
	for _, kind := range kinds {
		if kind == fleet.NeedHelm {
			continue
		}
		b, knowable := needtest.Calm(time.Now()), time.Now()
		if after[kind] > 0 {
			knowable = knowable.Add(ripens)
		}
		needtest.Boards[kind].Arises(b, knowable.Add(-after[kind]))
		s.write(s.dir.BoardFile(), b)
		took(kind, knowable)
	}
	s.write(s.dir.BoardFile(), needtest.Calm(time.Now()))
	ahead.Store(int64(after[fleet.NeedHelm] - ripens))
	end()
	took(fleet.NeedHelm, time.Now().Add(ripens))
}
