package dash

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/renameio/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/provider"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/planfile"
	"ocaptain/theme"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/clock"
	"ocaptain/ui/dash/feed"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/launch"
)

// noon is the time of every golden screen.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// stage is a dashboard on a voyage's files, without a terminal: it runs commands as Bubble Tea would, presses keys by
// name, and its screen is what View draws.
type stage struct {
	testing.TB
	m    *Model
	dir  fleet.Dir
	msgs chan tea.Msg
	sent []tea.Msg       // messages of commands to the terminal
	seen map[string]bool // screens that exits has checked

	helmUp chan struct{} // closed when there is a stand-in for helm
}

// setStage opens the dashboard on a voyage with this board and these logs. board may be nil for a voyage without a
// board, dir "" for no voyage.
func setStage(t testing.TB, width, height int, board *fleet.Board, logs map[string][]fleet.LogLine, change func(*Options)) *stage {
	t.Helper()
	home := t.TempDir()
	hub := fleet.Hub{
		Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"),
		Config: filepath.Join(home, "config"), Cache: filepath.Join(home, "cache"), Runtime: filepath.Join(home, "run"),
	}
	ctx, cancel := context.WithCancel(context.Background())
	helmUp := make(chan struct{})
	o := Options{
		Hub: hub, Theme: theme.Dark, Now: func() time.Time { return noon }, Quiet: true,
		Yard: launch.Yard{Hub: hub, Cwd: home, Environ: []string{"HOME=" + home}},
		Helm: func(ctx context.Context) (*api.Client, error) { // starting helm takes until ctx ends
			select {
			case <-helmUp:
				return api.NewClient(hub), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	}
	s := &stage{TB: t, msgs: make(chan tea.Msg, 1024), seen: map[string]bool{}, helmUp: helmUp}
	if board != nil {
		s.dir = fleet.Dir(filepath.Join(hub.Voyages, board.Voyage.ID))
		o.Voyage = s.dir
		s.write(s.dir.Voyage(), board.Voyage)
		s.write(s.dir.FleetFile(), fleet.Fleet{Phase: board.Phase})
		s.write(s.dir.BoardFile(), board)
		for ship, lines := range logs {
			s.log(ship, lines...)
		}
	}
	if change != nil {
		change(&o)
	}
	s.m = New(ctx, o)
	t.Cleanup(func() { cancel(); s.m.close() })
	s.do(tea.WindowSizeMsg{Width: width, Height: height})
	s.run(s.m.Init())
	if board != nil {
		lines := 0
		for _, l := range logs {
			lines += len(l)
		}
		s.until("the board is read", func() bool { return s.m.v.Loaded })
		if lines > 0 {
			s.until("the logs are read", func() bool { return strings.Contains(s.m.v.Logs.Info(), fmt.Sprintf("%d line", lines)) })
		}
	}
	return s
}

func (s *stage) write(path string, v any) {
	s.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = renameio.WriteFile(path, raw, 0o644) // atomically, as helm writes
	}
	if err != nil {
		s.Fatal(err)
	}
}

// log appends lines to a ship's log.
func (s *stage) log(ship string, lines ...fleet.LogLine) {
	s.Helper()
	var all []byte
	for _, l := range lines {
		raw, err := json.Marshal(l)
		if err != nil {
			s.Fatal(err)
		}
		all = append(append(all, raw...), '\n')
	}
	if err := os.MkdirAll(s.dir.LogsDir(), 0o755); err != nil {
		s.Fatal(err)
	}
	f, err := os.OpenFile(s.dir.LogFile(ship), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		s.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(all); err != nil {
		s.Fatal(err)
	}
}

// run runs a command in the background, as Bubble Tea does.
func (s *stage) run(c tea.Cmd) {
	if c == nil {
		return
	}
	go func() {
		msg := c()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				s.run(c)
			}
			return
		}
		if msg != nil {
			s.msgs <- msg
		}
	}()
}

// do sends a message to the model.
func (s *stage) do(msg tea.Msg) {
	switch msg.(type) {
	case feed.News, clock.Tick, act.Then, form.Msg, tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseWheelMsg, tea.WindowSizeMsg, tea.BackgroundColorMsg:
		_, c := s.m.Update(msg)
		s.run(c)
	default:
		s.sent = append(s.sent, msg)
	}
}

// until handles messages until something holds.
func (s *stage) until(what string, holds func() bool) {
	s.Helper()
	late := eventually.Context(s).Done()
	for !holds() {
		select {
		case msg := <-s.msgs:
			s.do(msg)
		case <-late:
			s.Fatalf("it never came that %s; the screen is\n%s", what, s.text())
		}
	}
}

// press presses keys by their names.
func (s *stage) press(keys ...string) {
	s.Helper()
	for _, k := range keys {
		s.do(keyNamed(s, k))
	}
}

// named maps names to keys that are not a character.
var named = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"backspace": tea.KeyBackspace,
}

func keyNamed(t testing.TB, name string) tea.KeyPressMsg {
	t.Helper()
	var k tea.Key
	rest := name
	for mod, m := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "shift+": tea.ModShift, "alt+": tea.ModAlt} {
		if after, ok := strings.CutPrefix(rest, mod); ok && after != "" {
			rest, k.Mod = after, k.Mod|m
		}
	}
	if code, ok := named[rest]; ok {
		k.Code = code
		if rest == "space" && k.Mod == 0 {
			k.Text = " "
		}
	} else {
		k.Code = []rune(rest)[0]
		if k.Mod == 0 {
			k.Text = rest
		}
	}
	msg := tea.KeyPressMsg(k)
	if got := msg.String(); got != name {
		t.Fatalf("key %q is called %q", name, got)
	}
	return msg
}

// text returns the screen without style.
func (s *stage) text() string {
	rows, _ := s.m.draw()
	return ansi.Strip(strings.Join(rows, "\n"))
}

// golden compares the screen with a file.
func (s *stage) golden(name string) {
	s.Helper()
	s.until("all lines on the screen are read", func() bool {
		text := s.text()
		return !strings.Contains(text, "reading the logs") && !strings.Contains(text, "│…")
	})
	rows, _ := s.m.draw()
	golden.Screen(s, name, strings.Join(rows, "\n"), s.m.width, s.m.height)
}

// shows fails the test unless the screen has all these texts.
func (s *stage) shows(texts ...string) {
	s.Helper()
	screen := s.text()
	for _, t := range texts {
		if !strings.Contains(screen, t) {
			s.Errorf("the screen has no %q:\n%s", t, screen)
		}
	}
}

// aBoard returns a voyage in which all sorts of things happen.
func aBoard(t testing.TB) *fleet.Board {
	t.Helper()
	plan, defects := planfile.Open("example:harbor")
	if err := defects.Err(); err != nil {
		t.Fatal(err)
	}
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	b := &fleet.Board{
		At: noon, Helm: 4711, Phase: fleet.Sailing, Since: ago(12 * time.Minute), Head: "3f9a1c02b7d4e8",
		Voyage: fleet.Voyage{
			ID: "voyage-3f9a1c02b7d4", Name: plan.Name, Prompt: plan.Objective, Branch: "voyage-3f9a1c02b7d4",
			ShipCount: 6, CreatedAt: ago(12*time.Minute + 34*time.Second), AgentChoice: fleet.AgentChoice{Agent: "claude"}, Provider: "local",
		},
	}
	for _, task := range plan.Tasks {
		b.Tasks = append(b.Tasks, tasks.State{Task: task.Clone()})
	}
	for i, owner := range []string{"ship-0", "ship-1", "ship-0", "ship-2", "ship-1"} {
		at := &b.Tasks[i]
		at.Status, at.Owner, at.Commit = tasks.Completed, owner, fmt.Sprintf("%07x", 0xabc1230+i)
		at.ClaimedAt, at.CompletedAt = ago(time.Duration(12-i)*time.Minute), ago(time.Duration(10-i)*time.Minute)
	}
	for i, owner := range map[int]string{5: "ship-0", 6: "ship-1"} {
		b.Tasks[i].Status, b.Tasks[i].Owner, b.Tasks[i].ClaimedAt, b.Tasks[i].Attempts = tasks.InProgress, owner, ago(3*time.Minute), 1
	}
	status := func(w fleet.Word, reason string, since time.Duration) fleet.Status {
		return fleet.Status{Word: w, Reason: reason, Since: ago(since), SeenAt: ago(2 * time.Second), Source: "agent"}
	}
	for i, st := range []fleet.Status{
		status(fleet.Working, "", 3*time.Minute),
		status(fleet.Working, "", 3*time.Minute),
		needing(fleet.NeedAnswer, status(fleet.Waiting, "permission to run: rm -rf build", 4*time.Minute)),
		status(fleet.Idle, "", 40*time.Second),
		needing(fleet.NeedUnreachable, status(fleet.Unreachable, "no answer for 15s", 95*time.Second)),
		status(fleet.Provision, "clone", 8*time.Second),
	} {
		s := fleet.ShipView{Status: st}
		s.Name, s.Number, s.Role, s.Agent, s.Provider = fmt.Sprintf("ship-%d", i), i, "worker", "claude", "local"
		s.Machine, s.Phase, s.Built = provider.Machine{ID: fmt.Sprintf("m-%d", i), User: "captain"}, fleet.Afloat, 1
		if st.Word == fleet.Provision {
			s.Phase, s.Step, s.Steps = fleet.Provisioning, "clone", []fleet.Step{{Name: "create", Took: 900 * time.Millisecond}, {Name: "reach", Took: 80 * time.Millisecond}}
		}
		b.Ships = append(b.Ships, s)
	}
	b.Ships[0].Task, b.Ships[1].Task = "6", "7"
	b.Ships[0].Completed, b.Ships[1].Completed, b.Ships[2].Completed = 2, 2, 1
	b.Ships[1].Changed = 3
	for i, tokens := range []agentlog.Tokens{{Input: 12_300, Output: 8_200, CacheRead: 801_000, CacheWrite: 40_500}, {Input: 9_100, Output: 5_600, CacheRead: 240_000}} {
		b.Ships[i].Turn = 14 - 5*i
		b.Ships[i].Usage = fleet.Usage{Messages: int64(14 - 5*i), Tokens: tokens, CostUSD: 0.71 - 0.3*float64(i)}
		b.Usage = b.Usage.Add(b.Ships[i].Usage)
	}
	return b
}

// needing returns a status that needs the captain.
func needing(k fleet.NeedKind, s fleet.Status) fleet.Status {
	s.Need = k
	return s
}

// calm returns a board without needs, so that ships are in the order of their numbers.
func calm(b *fleet.Board) *fleet.Board {
	for i := range b.Ships {
		b.Ships[i].Status.Need = ""
	}
	return b
}

// someLogs returns log lines of three ships.
func someLogs() map[string][]fleet.LogLine {
	at := func(s int) time.Time { return noon.Add(time.Duration(s-60) * time.Second) }
	line := func(s int, ship, kind string, turn int, text string) fleet.LogLine {
		return fleet.LogLine{At: at(s), Ship: ship, Role: "worker", Kind: kind, Turn: turn, Text: text}
	}
	return map[string][]fleet.LogLine{
		"ship-0": {
			line(1, "ship-0", "note", 0, "claimed task 6: Style sheet"),
			line(9, "ship-0", "tool", 12, "Read src/style.css"),
			line(21, "ship-0", "text", 13, "The table needs a rule for narrow screens."),
			line(33, "ship-0", "tool", 14, "Edit src/style.css"),
		},
		"ship-1": {
			line(4, "ship-1", "note", 0, "claimed task 7: Test runner"),
			line(15, "ship-1", "tool", 8, "Bash make test"),
			line(16, "ship-1", "error", 8, "make: *** [test] Error 1"),
			line(40, "ship-1", "text", 9, "A test expects the month in two digits.\nI mend the formatter."),
		},
		"ship-2": {line(2, "ship-2", "text", 3, "May I run rm -rf build?")},
	}
}
