package dash

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/theme"
	"ocaptain/ui/dash/clock"
	"ocaptain/ui/dash/keys"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/toast"
)

// Each key does what the table says. The tests in ui/cli/e2e cover keys that need a ship or helm.
func TestKeys(t *testing.T) {
	board := calm(aBoard(t))
	for _, c := range []struct {
		name  string
		keys  []string
		shows []string
		holds func(*Model) bool
	}{
		{"help lists this place first", []string{"?"}, []string{"Keys: agents", "attach: the whole terminal"}, nil},
		{"help closes", []string{"?", "esc"}, nil, func(m *Model) bool { return len(m.dialogs) == 0 }},
		{"palette finds by letters", []string{":", "v", "r", "f"}, []string{"verify now"}, nil},
		{"palette by ctrl-p", []string{"ctrl+p"}, []string{"Actions"}, nil},
		{"palette acts", []string{":", "w", "a", "l", "l", "enter"}, nil, func(m *Model) bool { return m.place == onWall }},
		{"palette says why not", []string{"j", "j", "j", ":", "t", "a", "s", "k", "space", "o", "f", "space", "t", "h", "e", "space", "s", "e", "l", "enter"}, []string{"holds no task"}, nil},
		{"messages", []string{"@"}, []string{"nothing has happened yet"}, nil},
		{"themes go round", []string{"T", "T", "T", "T", "T"}, []string{"theme: dark"}, func(m *Model) bool { return m.look == theme.Dark }},
		{"esc never quits", []string{"esc", "esc", "esc"}, []string{"[1] Agents"}, func(m *Model) bool { return m.atHome() }},
		{"q comes back from full screen", []string{"f", "q"}, nil, func(m *Model) bool { return m.atHome() }},

		{"1", []string{"3", "1"}, nil, func(m *Model) bool { return m.focus == screen.Agents }},
		{"2", []string{"2"}, nil, func(m *Model) bool { return m.focus == screen.Tasks }},
		{"3", []string{"3"}, nil, func(m *Model) bool { return m.focus == screen.Logs }},
		{"4", []string{"4"}, nil, func(m *Model) bool { return m.focus == screen.Ship }},
		{"tab", []string{"tab", "tab"}, nil, func(m *Model) bool { return m.focus == screen.Logs }},
		{"shift-tab", []string{"shift+tab"}, nil, func(m *Model) bool { return m.focus == screen.Ship }},
		{"f", []string{"2", "f"}, nil, func(m *Model) bool { return m.place == full && m.focus == screen.Tasks }},
		{"f again", []string{"2", "f", "f"}, nil, func(m *Model) bool { return m.atHome() }},
		{"o opens the wall", []string{"o"}, []string{"ship-5"}, func(m *Model) bool { return m.place == onWall }},
		{"o again closes it", []string{"o", "o"}, nil, func(m *Model) bool { return m.atHome() }},
		{"s asks what", []string{"s"}, []string{"add a ship to this voyage", "sail a plan"}, nil},
		{"m writes to the selected ship", []string{"j", "m"}, []string{"Message to ship-1"}, nil},
		{"M writes to all", []string{"M"}, []string{"Message to 5 ships"}, nil},
		{"M writes to the marked ones", []string{"space", "space", "M"}, []string{"Message to ship-0, ship-1"}, nil},
		{"y copies", []string{"y"}, []string{"attaches to ship-0 is copied"}, nil},
		{"d shows a diff", []string{"j", "d"}, []string{"ship-1"}, func(m *Model) bool { return m.diff() != nil }},

		{"j k", []string{"j", "j", "k"}, nil, func(m *Model) bool { return m.shipName() == "ship-1" }},
		{"arrows", []string{"down", "down", "up"}, nil, func(m *Model) bool { return m.shipName() == "ship-1" }},
		{"G", []string{"G"}, nil, func(m *Model) bool { return m.shipName() == "ship-5" }},
		{"g", []string{"G", "g"}, nil, func(m *Model) bool { return m.shipName() == "ship-0" }},
		{"end home", []string{"end", "home", "down"}, nil, func(m *Model) bool { return m.shipName() == "ship-1" }},
		{"half pages", []string{"ctrl+d", "ctrl+d", "ctrl+u"}, nil, func(m *Model) bool { return m.shipName() != "ship-0" }},
		{"filter", []string{"/", "w", "a", "i", "t", "enter"}, []string{"1 of 6"}, func(m *Model) bool { return m.shipName() == "ship-2" }},
		{"esc clears the filter", []string{"/", "w", "a", "i", "t", "enter", "esc"}, []string{"ship-5"}, nil},
		{"esc undoes the filter", []string{"/", "w", "a", "esc"}, []string{"ship-5"}, func(m *Model) bool { return m.filter == nil }},

		{"enter on a ship that is not there yet", []string{"G", "enter"}, []string{"ship-5 is not provisioned yet"}, nil},
		{"i on a ship that is not there yet", []string{"G", "i"}, []string{"not provisioned yet"}, func(m *Model) bool { return m.typing == "" }},
		{"space marks", []string{"space"}, []string{"1 marked"}, nil},
		{"l shows its logs", []string{"j", "l"}, []string{"make: *** [test]"}, func(m *Model) bool { return m.place == full && m.focus == screen.Logs }},
		{"t shows its task", []string{"j", "t"}, nil, func(m *Model) bool { return m.focus == screen.Tasks && m.selectedTask().ID == "7" }},
		{"I tells all", []string{"G", "I"}, []string{"Provisioning", "create", "0.9s"}, nil},
		{"x asks first", []string{"x"}, []string{"Interrupt the agent on ship-0?", "No"}, nil},
		{"R asks first", []string{"R"}, []string{"Give ship-0 a new machine?"}, nil},
		{"D asks first", []string{"D"}, []string{"Sink ship-0?", "No"}, nil},
		{"D wants the name when work is lost", []string{"j", "D"}, []string{"3 files that are not merged", "Type ship-1"}, nil},
		{"D of the marked", []string{"space", "space", "D"}, []string{"Sink 2 ships: ship-0, ship-1?"}, nil},

		{"enter on a task", []string{"2", "enter"}, []string{"Task 6"}, func(m *Model) bool { return m.scope() == keys.InDetail }},
		{"back from a task", []string{"2", "enter", "esc"}, nil, func(m *Model) bool { return m.atHome() }},
		{"u", []string{"2", "u"}, []string{"ready only"}, nil},
		{"c", []string{"2", "c"}, []string{"completed hidden"}, nil},
		{"b", []string{"2", "G", "b"}, nil, func(m *Model) bool { return m.v.Tasks.ShowsBlockers() }},
		{"O", []string{"2", "j", "O"}, nil, func(m *Model) bool { return m.focus == screen.Agents && m.shipName() == "ship-1" }},
		{"R on a task", []string{"2", "R"}, []string{"Take task 6 from ship-0?"}, nil},
		{"R on a task that nobody holds", []string{"2", "j", "j", "R"}, []string{"no ship holds task"}, nil},
		{"y on a task", []string{"2", "y"}, []string{"task id 6 is copied"}, nil},
		{"filter tasks", []string{"2", "/", "M", "o", "o", "n", "enter"}, []string{"Moon"}, nil},

		{"enter on logs", []string{"3", "enter"}, []string{"a all"}, func(m *Model) bool { return m.place == full }},
		{"a digit toggles a ship", []string{"3", "f", "1"}, []string{"· ship-1 ·"}, nil},
		{"two digits after g", []string{"3", "f", "g", "0", "1"}, []string{"· ship-1 ·"}, nil},
		{"roles", []string{"3", "f", "v"}, []string{"validator"}, nil},
		{"all roles", []string{"3", "f", "v", "a"}, []string{"follow on"}, nil},
		{"s pauses", []string{"3", "f", "s"}, []string{"paused"}, nil},
		{"W", []string{"3", "f", "W"}, []string{"wrap"}, nil},
		{"M draws a line", []string{"3", "f", "M"}, []string{"12:00:00"}, nil},
		{"a bad pattern is told", []string{"3", "/", "("}, []string{"✗"}, func(m *Model) bool { return m.filter != nil }},

		{"the palette closes", []string{":", "esc"}, nil, func(m *Model) bool { return len(m.dialogs) == 0 }},
		{"tiles", []string{"o", "l"}, nil, func(m *Model) bool { return m.current().Name == "ship-1" }},
		{"tiles, closer", []string{"o", "l", "f"}, nil, func(m *Model) bool { return m.place == full && m.focus == screen.Ship && m.shipName() == "ship-1" }},
		{"smaller tiles", []string{"o", "-", "-"}, []string{"ship-5"}, nil},
		{"nothing in need", []string{"!"}, []string{"nothing needs you"}, nil},
		{"sink voyage", []string{":", "s", "i", "n", "k", "space", "t", "h", "e", "space", "v", "enter"}, []string{"Sink 6 ships of harbor?", "2 agents at work", "Type voyage-3f9a1c02b7d4"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := setStage(t, 160, 44, board, someLogs(), nil)
			s.press(c.keys...)
			s.shows(c.shows...)
			if c.holds != nil && !c.holds(s.m) {
				t.Errorf("it does not hold; the screen is\n%s", s.text())
			}
		})
	}
}

func TestQuit(t *testing.T) {
	s := setStage(t, 100, 30, aBoard(t), nil, nil)
	s.press("q")
	s.until("it quits", func() bool { return s.quits() })
	s = setStage(t, 100, 30, aBoard(t), nil, nil)
	s.m.jobs.Run("sail", nil)
	s.press("q")
	s.shows("1 action under way")
	if s.quits() {
		t.Error("it did not ask")
	}
	s.press("y")
	s.until("it quits", func() bool { return s.quits() })
}

func (s *stage) quits() bool {
	for _, m := range s.sent {
		if _, ok := m.(tea.QuitMsg); ok {
			return true
		}
	}
	return false
}

// A ship that begins to need the captain is announced once, with the reason and a bell.
func TestAttention(t *testing.T) {
	s := setStage(t, 120, 30, aBoard(t), nil, func(o *Options) { o.Quiet = false })
	if len(s.m.toasts.Shown) > 0 {
		t.Fatalf("what was so before is told: %+v", s.m.toasts.Shown)
	}
	b := aBoard(t)
	b.Ships[3].Status = fleet.Status{Word: fleet.Waiting, Need: fleet.NeedLogin, Reason: "log in again\x1b]0;x\a", Since: noon}
	s.write(s.dir.BoardFile(), b)
	s.until("it is told", func() bool { return len(s.m.toasts.Shown) > 0 })
	s.shows("ship-3 cannot log in: log in again", "3 need you")
	s.until("it rings", func() bool { return s.rung() != "" })
	if got := s.rung(); !strings.HasPrefix(got, "\a\x1b]9;ocaptain: ship-3 cannot log in") || strings.Contains(got, "]0;") {
		t.Errorf("it rings with %q", got)
	}
	b.Phase = fleet.Complete
	s.write(s.dir.BoardFile(), b)
	s.until("the end is told", func() bool { return len(s.m.toasts.Shown) > 1 })
	s.shows("the voyage is complete")
}

// The needs of costly ships are shown like other needs: in the pane, in the detail and with a bell.
func TestAttentionToCosts(t *testing.T) {
	s := setStage(t, 140, 30, aBoard(t), nil, func(o *Options) { o.Quiet = false })
	b := aBoard(t)
	const why = "costs, and has rested for more than 30m with nothing to claim"
	at := &b.Ships[3]
	at.Guard, at.Costs, at.Idle, at.Price, at.Created = why, true, 45*time.Minute, 0.25, noon.Add(-2*time.Hour)
	b.Guard, b.Bill = "the voyage is older than 8h and has ships out", fleet.Bill{Hour: 0.25, SoFar: 0.5}
	s.write(s.dir.BoardFile(), b)
	s.until("it is told", func() bool { return len(s.m.toasts.Shown) > 1 })
	s.shows("ship-3 costs: costs, and has rested for more than 30m with", b.Guard, "4 need you")
	s.until("it rings", func() bool { return s.rung() != "" })
	told := len(s.m.toasts.History)
	b.Head = "other"
	s.write(s.dir.BoardFile(), b)
	s.until("the board is new", func() bool { return s.m.v.Board.Head == "other" })
	if len(s.m.toasts.History) != told {
		t.Errorf("the same was told again: %+v", s.m.toasts.History[told:])
	}
	s.m.v.Agents.Select("ship-3")
	s.press("1", "I")
	s.shows("idle for    45m", "price       $0.25 an hour, $0.50 so far", "look at it  costs, and")
}

func (s *stage) rung() string {
	for _, m := range s.sent {
		if r, ok := m.(tea.RawMsg); ok {
			return fmt.Sprint(r.Msg)
		}
	}
	return ""
}

// The demonstration closes by itself only when no key was pressed in it.
func TestClosing(t *testing.T) {
	now := noon
	b := aBoard(t)
	b.Phase = fleet.Complete
	open := func() *stage {
		now = noon
		return setStage(t, 100, 30, b, nil, func(o *Options) { o.Closing, o.Now = 10*time.Second, func() time.Time { return now } })
	}
	s := open()
	s.shows("closes in 10s")
	now = noon.Add(11 * time.Second)
	s.m.clock = clock.Clock{}
	s.do(clock.Tick{})
	s.until("it closes", func() bool { return s.quits() })
	s = open()
	s.press("j")
	now = noon.Add(time.Hour)
	s.m.clock = clock.Clock{}
	s.do(clock.Tick{})
	if s.quits() || strings.Contains(s.text(), "closes in") {
		t.Error("it closes although the captain is there")
	}
}

// The clock ticks only as needed: every second while seconds are shown, otherwise rarely.
func TestPace(t *testing.T) {
	b := aBoard(t)
	s := setStage(t, 100, 30, b, nil, nil)
	if got := s.m.pace(); got != time.Second {
		t.Errorf("with young statuses it ticks every %v", got)
	}
	for i := range b.Ships {
		b.Ships[i].Status.Since = noon.Add(-time.Hour)
	}
	s = setStage(t, 100, 30, b, nil, nil)
	if got := s.m.pace(); got < 10*time.Second {
		t.Errorf("with old ones every %v", got)
	}
}

func TestMouse(t *testing.T) {
	s := setStage(t, 120, 40, calm(aBoard(t)), someLogs(), nil)
	click := func(x, y int) { s.do(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	s.text() // a click finds rows that were drawn
	click(5, 4)
	if s.m.focus != screen.Agents || s.m.shipName() != "ship-2" {
		t.Errorf("a click on the third ship selects %s", s.m.shipName())
	}
	r := s.m.layout().Places()[screen.Tasks]
	click(r.X+4, r.Y+r.H/2)
	if s.m.focus != screen.Tasks {
		t.Error("a click does not focus the tasks")
	}
	at := s.m.layout().Places()[screen.Agents]
	s.do(tea.MouseWheelMsg{X: at.X + 3, Y: at.Y + 2, Button: tea.MouseWheelDown})
	if s.m.focus != screen.Tasks || s.m.shipName() != "ship-3" {
		t.Errorf("the wheel over the agents selects %s and has focus %d", s.m.shipName(), s.m.focus)
	}
	s.press("o")
	_, places := s.m.tiles().Shown()
	click(places[1].X+2, places[1].Y+1)
	if s.m.current().Name != "ship-1" {
		t.Errorf("a click on the second tile selects %s", s.m.current().Name)
	}
}

// A message disappears when its time is over, even if nothing else needs the clock soon.
func TestMessagesGo(t *testing.T) {
	b := aBoard(t)
	for i := range b.Ships {
		b.Ships[i].Status.Since = noon.Add(-time.Hour)
	}
	now := noon
	s := setStage(t, 100, 30, b, nil, func(o *Options) { o.Now = func() time.Time { return now } })
	s.press("T")
	if got := s.m.pace(); got > time.Second {
		t.Errorf("with a message on the screen the clock ticks in %v", got)
	}
	now = noon.Add(5 * time.Second)
	s.m.clock = clock.Clock{}
	s.do(clock.Tick{})
	if len(s.m.toasts.Shown) > 0 {
		t.Error("the message is still there")
	}
}

// Messages cover no part of a dialog, even on a small screen.
func TestMessagesAreBeneathDialogs(t *testing.T) {
	for _, keys := range [][]string{{"?"}, {"D"}, {"m"}, {"!", "!"}} {
		s := setStage(t, 60, 20, aBoard(t), nil, nil)
		s.press(keys...)
		for i := range 4 {
			s.m.say(toast.Need, fmt.Sprintf("ship-%d asks you: may it run make?", i))
		}
		rows, _ := s.m.dialogs[0].View(s.m.width, s.m.height-2)
		for _, row := range rows {
			s.shows(ansi.Strip(row))
		}
	}
}
