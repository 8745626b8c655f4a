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
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/need"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	work "ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/theme"
	"ocaptain/ui/launch"
	"ocaptain/ui/term"
)

// needed says how a kind of need arises, and what the screen shows of it.
type needed struct {
	says string
	// happens changes the board of a voyage that runs smoothly into one with the need, which helm has known since that
	// time.
	happens func(b *fleet.Board, since time.Time)
}

// afloat returns the facts of a ship at work whose agent was last heard of at that time.
func afloat(s proto.AgentState, since time.Time) resolve.Known {
	return resolve.Known{
		Ship: fleet.Ship{Name: "ship-0", Phase: fleet.Afloat}, Link: resolve.Link{Connected: true, LinkSince: since}, Pulse: proto.Pulse{Runner: true, Agent: true}, PulseAt: time.Now(),
		State: s, StateAt: since, EventAt: since, ActAt: since, Work: resolve.Work{Held: "2", HeldAt: since},
	}
}

// known puts a ship on the board as helm does: with the status that resolves from the facts.
func known(b *fleet.Board, k resolve.Known) {
	b.Ships[0].Status, b.Ships[0].Ship = resolve.Status(time.Now(), k), k.Ship
}

// waits adds an agent that waits for the captain.
func waits(why, trouble string) func(*fleet.Board, time.Time) {
	return func(b *fleet.Board, since time.Time) {
		known(b, afloat(proto.AgentState{State: proto.StateWaiting, Why: why, Trouble: trouble}, since))
	}
}

// everyNeed has a case for each kind of need except for helm's, which no board has.
var everyNeed = map[fleet.NeedKind]needed{
	fleet.NeedHelm:  {"helm is away: helm.log cannot be opened", nil},
	fleet.NeedDisk:  {"the hub cannot write: no space left", func(b *fleet.Board, since time.Time) { b.Disk.Set(since, "no space left") }},
	fleet.NeedRedis: {"the hub has no part in the session: connection refused", func(b *fleet.Board, since time.Time) { b.Redis.Set(since, "connection refused") }},
	fleet.NeedRepository: {"the hub cannot merge: a merge of yours is under way", func(b *fleet.Board, since time.Time) {
		b.Repository.Set(since, "a merge of yours is under way")
	}},
	fleet.NeedShips: {"the voyage lacks ships: 2 tasks are open", func(b *fleet.Board, _ time.Time) {
		b.Ships, b.Tasks[1].Status = nil, tasks.Pending
	}},
	fleet.NeedStuck: {"the voyage is stuck: 2 open tasks wait", func(b *fleet.Board, _ time.Time) {
		b.Tasks[1].Status, b.Tasks[1].BlockedBy, b.Ships[0].Task = tasks.Pending, []string{"9"}, ""
	}},
	fleet.NeedAnswer:      {"ship-0, task 2 asks you: may it run make?", waits("may it run make?", "")},
	fleet.NeedInterrupted: {"ship-0, task 2 waits: " + proto.Interrupted, waits(proto.Interrupted, "")},
	fleet.NeedLogin:       {"ship-0, task 2 cannot log in: please log in", waits("please log in", string(agentlog.TroublePerson))},
	fleet.NeedLimited: {"ship-0 is refused by its service: session limit", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Refused, b.Ships[0].State.Why = since.Add(-time.Hour), "session limit"
	}},
	fleet.NeedSteering: {"ship-0, task 2 waits for your word: it changes files that steer agents: CLAUDE.md", func(b *fleet.Board, since time.Time) {
		b.Steering = []fleet.Steering{{Steering: work.Steering{Paths: []string{"CLAUDE.md"}}, Task: "2", Ship: "ship-0", Word: fleet.Waits, At: since}}
	}},
	fleet.NeedPlan: {"task 3 waits for your word: it is to consist of 4 tasks", func(b *fleet.Board, since time.Time) {
		b.Tasks[2].OnHold, b.Tasks[2].Proposed, b.Tasks[2].RequeuedAt = true, 4, since
	}},
	fleet.NeedHold: {"task 3 is on hold: make fails", func(b *fleet.Board, since time.Time) {
		b.Tasks[2].OnHold, b.Tasks[2].Reason, b.Tasks[2].RequeuedAt = true, "make fails", since
	}},
	fleet.NeedConflict: {"ship-0, task 2 conflicts: 3 times in a row, the last in a.go", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Clash = fleet.Clash{Tries: need.Conflicts, Paths: []string{"a.go"}, Since: since}
	}},
	fleet.NeedInTheWay: {"ship-0, task 2 waits for your files: a.go is not committed", func(b *fleet.Board, since time.Time) {
		b.InTheWay = map[string]fleet.Hindrance{"2": {Why: "a.go is not committed", Since: since}}
	}},
	fleet.NeedTree: {"ship-0, task 2 is out of step: 1 file clashes, changed on both sides: a.go", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Tree = fleet.SharedTree{State: fleet.TreeSame, Conflicts: []string{"a.go"}, ConflictSince: since}
	}},
	fleet.NeedUncommitted: {"ship-0, task 2 commits nothing: it was told 2 times to commit what it has of dispatch 2", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Nudges, b.Ships[0].Committed = 3, since
	}},
	fleet.NeedBudget: {"the voyage spends its budget: its agents have cost $8.00 of $10.00", func(b *fleet.Board, since time.Time) {
		b.Budget = fleet.Budget{Max: 10, Spent: 8, Since: since}
	}},
	fleet.NeedRate: {"ship-0 costs too much: its agent may cost $3.00 within an hour, and begins nothing until", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Rate = fleet.Rate{Max: 3, Spent: 3.5, Since: since, Until: since.Add(time.Hour)}
	}},
	fleet.NeedFlood: {"ship-0 sends too much: too much of its requests", func(b *fleet.Board, since time.Time) {
		b.Ships[0].Slowed, b.Ships[0].SlowedAt = []string{"requests"}, since
	}},
	fleet.NeedVerify: {"the voyage failed to verify: 2 tests failed", func(b *fleet.Board, since time.Time) {
		b.Phase, b.Since, b.Tasks, b.Verify.Output = fleet.VerifyFailed, since, b.Tasks[:1], "2 tests failed\n"
	}},
	fleet.NeedUnverified: {"the voyage cannot be verified: no bash", func(b *fleet.Board, since time.Time) {
		b.Phase, b.Tasks = fleet.Verifying, b.Tasks[:1]
		b.Unverified.Set(since, "no bash")
	}},
	fleet.NeedBeads: {"bd does not read the issues: it is locked", func(b *fleet.Board, since time.Time) { b.Unread.Set(since, "it is locked") }},
	fleet.NeedConversation: {"ship-0, task 2 cannot go on talking: too long", func(b *fleet.Board, since time.Time) {
		known(b, afloat(proto.AgentState{State: proto.StateFailed, Why: "too long", Trouble: string(agentlog.TroubleFull)}, since))
	}},
	fleet.NeedFailed: {"ship-0, task 2 has failed: ocaptain does not run on it: no bash", func(b *fleet.Board, since time.Time) {
		k := afloat(proto.AgentState{}, since)
		k.Silent, k.SilentAt = "no bash", since
		known(b, k)
	}},
	fleet.NeedExited: {"ship-0, task 2 has exited: it gave up", func(b *fleet.Board, since time.Time) {
		k := afloat(proto.AgentState{}, since)
		k.Exit, k.ExitAt = &proto.AgentExited{Final: true, Code: 1, Reason: "it gave up"}, since
		known(b, k)
	}},
	fleet.NeedLeftAlone: {"ship-0, task 2 is left alone: its turns end", func(b *fleet.Board, since time.Time) {
		k := afloat(proto.AgentState{State: proto.StateIdle}, since)
		k.LeftAlone = true
		known(b, k)
	}},
	fleet.NeedStalled: {"ship-0, task 2 is stalled: no sign of work", func(b *fleet.Board, since time.Time) {
		known(b, afloat(proto.AgentState{State: proto.StateWorking}, since.Add(-2*fleet.StallAfter)))
	}},
	fleet.NeedFull: {"ship-0, task 2 has used up its disk: it uses 12.0 GB", func(b *fleet.Board, since time.Time) {
		k := afloat(proto.AgentState{State: proto.StateWorking}, since)
		k.Connected, k.LinkError, k.Full = false, "no such socket", "it uses 12.0 GB"
		known(b, k)
	}},
	fleet.NeedUnreachable: {"ship-0 cannot be reached: no route", func(b *fleet.Board, since time.Time) {
		k := afloat(proto.AgentState{State: proto.StateWorking}, since)
		k.Connected, k.LinkError = false, "no route"
		known(b, k)
	}},
	fleet.NeedMachine: {"ship-1 is not gone: the service says 500", func(b *fleet.Board, since time.Time) {
		b.Ships[1].Phase, b.Ships[1].Error, b.Ships[1].StaysAt = fleet.Going, "the service says 500", since
	}},
	fleet.NeedOrphans: {"providers have machines that no voyage has: 1 machine: left-1", func(b *fleet.Board, _ time.Time) { b.Orphans = []string{"left-1"} }},
	fleet.NeedRecords: {"the voyage has damaged files: 2.json is no task", func(b *fleet.Board, _ time.Time) { b.Problems = []string{"2.json is no task"} }},
	fleet.NeedCost:    {"ship-1 costs: older than 8h", func(b *fleet.Board, _ time.Time) { b.Ships[1].Guard = "older than 8h" }},
	fleet.NeedProposal: {"ship-1 proposes: add a task", func(b *fleet.Board, since time.Time) {
		b.Proposals = []fleet.Proposal{{ID: 1, At: since, Ship: "ship-1", Text: "add a task"}}
	}},
}

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

// goesOn returns the board of a voyage without needs.
func goesOn() *fleet.Board {
	now := time.Now()
	b := &fleet.Board{
		At: now, Voyage: fleet.Voyage{ID: "voyage-0123456789ab", Name: "needy", CreatedAt: now}, Phase: fleet.Sailing, Since: now,
		Ships: []fleet.ShipView{{Task: "2"}, {Ship: fleet.Ship{Name: "ship-1", Number: 1, Phase: fleet.Afloat}, Status: fleet.Status{Word: fleet.Idle, Since: now}}},
		Tasks: []tasks.State{
			{Task: tasks.Task{ID: "1", Subject: "one", Status: tasks.Completed}},
			{Task: tasks.Task{ID: "2", Subject: "two", Status: tasks.InProgress, Owner: "ship-0", BlockedBy: []string{"1"}}},
			{Task: tasks.Task{ID: "3", Subject: "three", Status: tasks.Pending, BlockedBy: []string{"2"}}},
		},
	}
	known(b, afloat(proto.AgentState{State: proto.StateWorking}, now))
	return b
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
	for _, kind := range kinds {
		if _, ok := everyNeed[kind]; !ok {
			t.Fatalf("nobody has said how %q comes about: add it to everyNeed", kind)
		}
	}
	for kind := range everyNeed {
		if !slices.Contains(kinds, kind) {
			t.Fatalf("there is no need %q: take it out of everyNeed", kind)
		}
	}
	home, err := os.MkdirTemp("", "needs") // a short path, as a socket is below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	hub := fleet.Hub{
		Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"), Config: filepath.Join(home, "config"),
		Cache: filepath.Join(home, "cache"), Runtime: filepath.Join(home, "run"),
	}
	b := goesOn()
	s := stage{TB: t, dir: fleet.Dir(filepath.Join(hub.Voyages, b.Voyage.ID))}
	s.write(s.dir.Voyage(), b.Voyage)
	s.write(s.dir.FleetFile(), fleet.Fleet{Phase: b.Phase})
	s.write(s.dir.BoardFile(), b)
	end := aHelm(t, hub)
	var ahead atomic.Int64 // how far the dashboard's clock is ahead
	d := newDesk(t, Options{
		Hub: hub, Voyage: s.dir, Theme: theme.Dark, Quiet: true, Yard: launch.Yard{Hub: hub, Cwd: home},
		Now:  func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
		Helm: func(context.Context) (*api.Client, error) { return nil, errors.New("helm.log cannot be opened") },
	})
	d.sees("╭─ [1] Agents")

	const ripens = 300 * time.Millisecond // time after the write at which the need becomes one: the screen must find that by itself
	took := func(kind fleet.NeedKind, from time.Time) {
		t.Helper()
		t.Logf("%-12s on the screen after %s", kind, d.sees(" ▲ "+everyNeed[kind].says).Sub(from).Round(time.Millisecond))
	}
	for _, kind := range kinds {
		if kind == fleet.NeedHelm {
			continue
		}
		b, knowable := goesOn(), time.Now()
		if after[kind] > 0 {
			knowable = knowable.Add(ripens)
		}
		everyNeed[kind].happens(b, knowable.Add(-after[kind]))
		s.write(s.dir.BoardFile(), b)
		took(kind, knowable)
	}
	s.write(s.dir.BoardFile(), goesOn())
	ahead.Store(int64(after[fleet.NeedHelm] - ripens))
	end()
	took(fleet.NeedHelm, time.Now().Add(ripens))
}
