package dash

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/attach"
	"ocaptain/ui/dash/feed"
	"ocaptain/ui/dash/screen"
)

// Detail and diff may be opened from each other; esc leaves both behind.
func TestPagesFromPages(t *testing.T) {
	for _, keys := range [][]string{
		{"2", "enter", ":", "d", "i", "f", "f", "space", "o", "f", "space", "t", "h", "e", "space", "s", "enter", "esc"},
		{"2", "enter", ":", "d", "e", "t", "a", "i", "l", "enter", "esc"},
		{"2", "d", ":", "d", "e", "t", "a", "i", "l", "enter", "enter"},
	} {
		s := setStage(t, 120, 40, aBoard(t), nil, nil)
		s.press(keys...)
		s.shows("[2] Tasks")
		if !s.m.atHome() {
			t.Errorf("%v: place %d", keys, s.m.place)
		}
	}
}

// The ship that gets the captain's keys stays on the screen, whatever happens to the selection.
func TestTypingKeepsItsShip(t *testing.T) {
	b := aBoard(t)
	s := setStage(t, 120, 40, b, nil, nil)
	s.press("/", "w", "a", "i", "t", "enter", "i")
	if s.m.typing != "ship-2" {
		t.Fatalf("it types to %q", s.m.typing)
	}
	b.Ships[2].Status = fleet.Status{Word: fleet.Working, Since: noon}
	b.Ships[3].Status = fleet.Status{Word: fleet.Waiting, Need: fleet.NeedAnswer, Since: noon}
	s.write(s.dir.BoardFile(), b)
	s.until("the selection moves", func() bool { return s.m.v.Agents.Selected().Name == "ship-3" })
	if got := s.m.shipName(); got != "ship-2" {
		t.Errorf("actions mean %s", got)
	}
	s.shows("● LIVE ship-2")
	b.Ships = b.Ships[:2]
	s.write(s.dir.BoardFile(), b)
	s.until("it is gone", func() bool { return len(s.m.v.Board.Ships) == 2 })
	s.shows("● LIVE ship-2")
	s.press("D", "y")
	if len(s.m.dialogs) > 0 || s.m.typing != "ship-2" {
		t.Error("keys for a ship that is gone are taken for the dashboard's")
	}
}

// A captain who types to a ship sees the ship, wherever the palette was opened.
func TestTypingShowsTheShip(t *testing.T) {
	for _, from := range [][]string{{"2", "enter"}, {"d"}, {"o"}, {"2", "f"}} {
		s := setStage(t, 120, 40, aBoard(t), nil, nil)
		s.press(from...)
		s.press(":", "t", "y", "p", "e", "space", "t", "o", "enter")
		if s.m.typing == "" {
			t.Fatalf("%v: it does not type", from)
		}
		s.shows("● LIVE " + s.m.typing)
	}
}

// A voyage that appears or disappears by itself does not interrupt what the captain does.
func TestNothingSwitchesUnderTheHands(t *testing.T) {
	other := fleet.Dir(t.TempDir() + "/voyage-other")
	for _, keys := range [][]string{{"i"}, {"D"}, {"/", "x"}, {"m"}} {
		s := setStage(t, 120, 40, aBoard(t), nil, nil)
		s.press(keys...)
		s.m.desk.Arrive(other, "other")
		s.m.desk.Back(s.dir, "")
		if s.m.v == nil || s.m.v.Dir != s.dir {
			t.Fatalf("%v: another voyage is shown", keys)
		}
		s.press("y", "D", "y")
		_ = s.text()
	}
	s := setStage(t, 120, 40, aBoard(t), nil, nil)
	s.press("2", "enter")
	s.m.desk.Back(s.dir, "")
	s.press("esc", "j", "enter", "D", "/", "o")
	s.shows("no voyage yet")
	s.m.desk.Arrive(other, "other")
	if s.m.v == nil || s.m.v.Dir != other {
		t.Error("the new voyage is not shown")
	}
}

// A list that loads late does not open over what the captain does meanwhile.
func TestLateDialog(t *testing.T) {
	s := setStage(t, 120, 40, aBoard(t), nil, nil)
	_, list := s.m.Update(keyNamed(t, "V"))
	s.press("i")
	s.run(list)
	s.until("the list is there", func() bool { return len(s.m.dialogs) > 0 || s.m.told("V again") })
	if len(s.m.dialogs) > 0 {
		t.Error("a dialog is over the ship that is typed to")
	}
}

func (m *Model) told(text string) bool {
	for _, e := range m.toasts.History {
		if strings.Contains(e.Text, text) {
			return true
		}
	}
	return false
}

// Bytes typed after the ctrl-q count as keys only if they are characters: the rest of a cursor key or of a paste must
// not act.
func TestRestOfVisit(t *testing.T) {
	for rest, want := range map[string]string{
		"jj":                      "ship-2",
		"\x1b[D":                  "ship-0",
		"\x1bOD":                  "ship-0",
		"j\x1b[200~Dyy\x1b[201~j": "ship-1",
		"\x1b[<0;3;4M":            "ship-0",
	} {
		s := setStage(t, 120, 40, calm(aBoard(t)), nil, nil)
		s.m.visits.Lend()
		s.m.returned("ship-0", []byte(rest), nil)
		if len(s.m.dialogs) > 0 || s.m.shipName() != want || s.m.focus != screen.Agents {
			t.Errorf("%q: %d dialogs, %s, focus %d", rest, len(s.m.dialogs), s.m.shipName(), s.m.focus)
		}
	}
	s := setStage(t, 120, 40, aBoard(t), nil, nil)
	if c := s.m.returned("ship-0", nil, attach.ErrSignal); c == nil || c() != (tea.QuitMsg{}) {
		t.Error("a signal does not end the dashboard")
	}
}

// Helm's messages about an action may contain a ship's text, and are cleaned.
func TestProgressIsClean(t *testing.T) {
	s := setStage(t, 120, 40, aBoard(t), nil, nil)
	s.m.verify() // helm does not run
	began := make(chan struct{})
	s.run(s.m.jobs.Run("verify \x1b[2J", func(_ context.Context, report func(api.Progress)) error {
		report(api.Progress{Ship: "ship-0\x1b[8m", Step: "verify", State: api.StepNote, Text: "\x1b]8;;http://x\x1b\\ok\rgone\x1b[31m\x1b]52;c;eA==\a"})
		<-began
		return errors.New("broken \x1b]0;x\a by \x1b[7mship-0")
	}))
	s.until("it is told", func() bool {
		return len(s.m.toasts.Shown) > 1 && strings.Contains(s.m.toasts.Shown[len(s.m.toasts.Shown)-1].Text, "ok")
	})
	for _, e := range s.m.toasts.Shown {
		if strings.ContainsAny(e.Text, "\x1b\r\a") {
			t.Errorf("a message holds %q", e.Text)
		}
	}
	close(began)
	s.until("it ends", func() bool { return s.m.jobs.Running() == 0 })
	for _, e := range s.m.toasts.History {
		if strings.ContainsAny(e.Text, "\x1b\r\a") {
			t.Errorf("a message holds %q", e.Text)
		}
	}
}

// Progress from helm is read also while a ship has the terminal and the program takes no news.
func TestProgressNeverWaits(t *testing.T) {
	s := setStage(t, 120, 40, aBoard(t), nil, nil)
	ran := make(chan struct{})
	c := s.m.jobs.Run("sail", func(_ context.Context, report func(api.Progress)) error {
		for range 10 * feed.Size {
			report(api.Progress{Ship: "ship-0", Step: "clone", State: api.StepDone})
		}
		close(ran)
		return nil
	})
	s.run(c)
	<-ran
	s.until("all is told", func() bool { return s.m.jobs.Running() == 0 && len(s.m.toasts.History) > 10*feed.Size })
}

// The dashboard asks each time; the same key again confirms.
func TestQuitAsksEachTime(t *testing.T) {
	s := setStage(t, 100, 30, aBoard(t), nil, nil)
	s.m.jobs.Run("sail", nil)
	for range 2 {
		s.press("q")
		s.shows("1 action under way")
		s.press("n")
	}
	s.press("ctrl+c", "ctrl+c")
	s.until("it quits", s.quits)
	s = setStage(t, 100, 30, aBoard(t), nil, nil)
	s.press("m", "x", "ctrl+c")
	if len(s.m.dialogs) > 0 || s.quits() {
		t.Error("ctrl-c does not close a dialog alone")
	}
}

// A voyage that goes on after a failed verification is not over.
func TestGoesOn(t *testing.T) {
	b := aBoard(t)
	b.Phase = fleet.VerifyFailed
	s := setStage(t, 100, 30, b, nil, func(o *Options) { o.Closing = 10 })
	if s.m.overAt.IsZero() {
		t.Fatal("it is over")
	}
	b.Phase = fleet.Sailing
	s.write(s.dir.BoardFile(), b)
	s.until("it goes on", func() bool { return s.m.v.Board.Phase == fleet.Sailing })
	if !s.m.overAt.IsZero() {
		t.Error("the dashboard would close")
	}
}

// The selected tile stays selected when a ship before it goes.
func TestTileStays(t *testing.T) {
	b := calm(aBoard(t))
	s := setStage(t, 200, 60, b, nil, nil)
	s.press("o", "l", "l")
	b.Ships = append(b.Ships[:1:1], b.Ships[2:]...)
	s.write(s.dir.BoardFile(), b)
	s.until("it is gone", func() bool { return len(s.m.v.Board.Ships) == 5 })
	if got := s.m.shipName(); got != "ship-2" {
		t.Errorf("%s is selected", got)
	}
}

// The dashboard asks again about work that appeared while the question was open.
func TestSinkAsksAgain(t *testing.T) {
	b := calm(aBoard(t))
	s := setStage(t, 120, 40, b, nil, nil)
	s.press("D")
	b.Ships[0].Changed = 4
	s.write(s.dir.BoardFile(), b)
	s.until("it is known", func() bool { return s.m.v.Board.Ships[0].Changed == 4 })
	s.press("y")
	s.shows("4 files that are not merged", "Type ship-0")
}

// Nothing breaks, and every row is as wide as the screen, in every scope at every size.
func TestAllSizes(t *testing.T) {
	s := setStage(t, 120, 40, aBoard(t), someLogs(), nil)
	for _, keys := range [][]string{{}, {"2"}, {"3", "f"}, {"4"}, {"o"}, {"D"}, {"j", "D"}, {":"}, {"?"}, {"m"}, {"2", "enter"}, {"d"}, {"s"}, {"i"}, {"/"}} {
		s.press(keys...)
		for _, h := range []int{0, 1, 5, 10, 11, 13, 24, 60} {
			for w := 1; w <= 210; w += 13 {
				s.do(tea.WindowSizeMsg{Width: w, Height: h})
				rows, cursor := s.m.draw()
				if len(rows) != h {
					t.Fatalf("%v at %d×%d: %d rows", keys, w, h, len(rows))
				}
				for _, r := range rows {
					if widthOf(r) != w {
						t.Fatalf("%v at %d×%d: a row of %d: %q", keys, w, h, widthOf(r), r)
					}
				}
				if cursor != nil && (cursor.X < 0 || cursor.X >= w || cursor.Y < 0 || cursor.Y >= h) {
					t.Errorf("%v at %d×%d: the cursor is at %d %d", keys, w, h, cursor.X, cursor.Y)
				}
			}
		}
		s.do(tea.WindowSizeMsg{Width: 120, Height: 40})
		if s.m.typing != "" {
			s.press("ctrl+q")
		}
		s.press("esc", "esc", "esc", "esc", "1", "home")
	}
}

// Caps lock and keyboards of another script do not keep the captain from leaving a ship.
func TestLeaveKey(t *testing.T) {
	for _, k := range []tea.Key{{Code: 'q', Mod: tea.ModCtrl}, {Code: 'q', Mod: tea.ModCtrl | tea.ModCapsLock}, {Code: 'й', BaseCode: 'q', Mod: tea.ModCtrl}} {
		if !isLeave(tea.KeyPressMsg(k)) {
			t.Errorf("%+v does not leave", k)
		}
	}
	for _, k := range []tea.Key{{Code: 'a', BaseCode: 'q', Mod: tea.ModCtrl}, {Code: 'q', Mod: tea.ModCtrl | tea.ModShift}, {Code: 'q'}} {
		if isLeave(tea.KeyPressMsg(k)) {
			t.Errorf("%+v leaves", k)
		}
	}
}
