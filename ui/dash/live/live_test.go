package live_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach"
	"ocaptain/ui/attach/shiptest"
)

func key(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

// A view shows the window, at any size of either, and looking changes no window.
func TestViewEqualsWindow(t *testing.T) {
	f := look(t, `printf 'plain \033[1;31mred\033[m \033[44m\033[K\033[m\n日本語 e\314\201 \342\224\200\n'; seq 1 30; printf '\033[5;70Hhere'; exec sleep 1000`)
	s := f.ships["ship-0"]
	f.ShowOnly("ship-0")
	f.shows("ship-0", "here")
	f.equal("ship-0")
	for _, size := range []string{"90x30", "300x70", "40x10", "200x50"} {
		w, h, _ := strings.Cut(size, "x")
		s.Tmux("resize-window", "-t", "=ship:", "-x", w, "-y", h)
		f.equal("ship-0")
		for _, view := range [][2]int{{20, 3}, {60, 20}, {200, 60}} {
			f.rows("ship-0", view[0], view[1])
		}
		if s.Size() != size {
			t.Errorf("looking changed the window from %s to %s", size, s.Size())
		}
	}
}

// A view is right after fifty changes of the window's size in a second.
func TestResizeStorm(t *testing.T) {
	f := look(t, `i=0; while :; do i=$((i+1)); printf 'line %d of some length that wraps in small windows, again and again\n' $i; sleep 0.01; done`)
	s := f.ships["ship-0"]
	f.ShowOnly("ship-0")
	f.shows("ship-0", "line")
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i := range 50 {
		<-tick.C
		s.Tmux("resize-window", "-t", "=ship:", "-x", fmt.Sprint(40+i*3), "-y", fmt.Sprint(60-i))
		f.rows("ship-0", 30+i, 10+i%7)
	}
	s.Tmux("resize-window", "-t", "=ship:", "-x", "111", "-y", "33", ";", "respawn-pane", "-k", "-t", "=ship:", "echo done; sleep 1000")
	f.shows("ship-0", "done")
	f.equal("ship-0")
}

func TestTyping(t *testing.T) {
	f := look(t, echo)
	f.ShowOnly("ship-0")
	f.shows("ship-0", "ready")
	p := f.PaneOf("ship-0")
	for _, r := range "héllo" {
		if err := p.SendKey(key(r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.SendPaste(" wor\x1b[201~ld"); err != nil {
		t.Fatal(err)
	}
	f.shows("ship-0", "héllo wor[201~ld")
	f.rows("ship-0", 80, 24)
	c, ok := p.Cursor()
	if !ok || c.X != len("hello wor[201~ld") || c.Y != 1 {
		t.Errorf("the cursor is %+v, %v", c, ok)
	}
	if got := f.ships["ship-0"].Size(); got != "200x50" {
		t.Errorf("typing made the window %s", got)
	}
}

func TestHistory(t *testing.T) {
	f := look(t, `seq -f 'line %g' 1 1000; exec cat`)
	f.ShowOnly("ship-0")
	f.shows("ship-0", "line 1000")
	p := f.PaneOf("ship-0")
	f.rows("ship-0", 80, 20)
	fetch := p.ScrollBy(100)
	if fetch == nil || p.ScrollBy(1) != nil {
		t.Fatal("it must be fetched once")
	}
	if err := fetch(shiptest.Soon(t)); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(f.text("ship-0", 80, 20), "\n")
	if got := strings.TrimSpace(rows[19]); got != "line 899" {
		t.Errorf("101 rows up, the last row is %q", got)
	}
	if !strings.Contains(p.Info(), "101 lines up") {
		t.Errorf("it says %q", p.Info())
	}
	p.ScrollBy(100_000)
	if got := strings.TrimSpace(strings.Split(f.text("ship-0", 80, 20), "\n")[0]); got != "line 1" {
		t.Errorf("at the top: %q", got)
	}
	if !p.Bottom() || p.Bottom() {
		t.Error("it was in the history, and then no more")
	}
	if got := f.text("ship-0", 80, 20); !strings.Contains(got, "line 1000") {
		t.Errorf("live again:\n%s", got)
	}
}

// A ship that leaves the screen stops streaming, and its view is back at once while linked.
func TestShowAndHide(t *testing.T) {
	f := look(t, `i=0; while :; do i=$((i+1)); printf '\rcount %d ' $i; sleep 0.01; done`)
	s := f.ships["ship-0"]
	f.ShowOnly("ship-0")
	f.shows("ship-0", "count")
	for range 10 {
		f.ShowOnly()
		eventually.Holds(t, "nobody looks", func() bool { return s.Tmux("list-clients") == "" })
		was := f.text("ship-0", 80, 24)
		f.ShowOnly("ship-0")
		f.until("it goes on", func() bool { return f.PaneOf("ship-0").IsLive() && f.text("ship-0", 80, 24) != was })
	}
	if n := s.Wire.Dials(); n != 2 { // the first launched the agent
		t.Errorf("it was dialled %d times", n)
	}
}

func TestAttachThroughViews(t *testing.T) {
	f := look(t, echo)
	f.ShowOnly("ship-0")
	f.shows("ship-0", "ready")
	c, err := f.Attach(shiptest.Soon(t), attach.Options{Ship: "ship-0", Cols: 70, Rows: 20})
	if err != nil {
		t.Fatal(err)
	}
	s := f.ships["ship-0"]
	if got := s.Size(); got != "70x20" {
		t.Errorf("the window is %s", got)
	}
	f.equal("ship-0")
	if n := s.Wire.Dials(); n != 2 {
		t.Errorf("it was dialled %d times", n)
	}
	c.Close()
}

// Whatever a ship sends, a view is text and styles of the right width.
func TestEscapeBombs(t *testing.T) {
	f := look(t, `head -c 3000000 /dev/urandom; printf '\033]0;title\007\033]52;c;aGk=\007\033[999999999C\033[9999;9999r\033P+q\033\\\033[?1049h\033#8\033[99999@'; printf 'survived'; exec sleep 1000`)
	f.ShowOnly("ship-0")
	f.until("it has all been sent", func() bool {
		f.rows("ship-0", 97, 31)
		return strings.Contains(f.ships["ship-0"].Screen(), "survived")
	})
	f.until("live", func() bool { return f.PaneOf("ship-0").IsLive() })
	f.rows("ship-0", 200, 50)
}

// What a watched ship prints line by line is read in few steps, and its last line is shown.
func TestReadsInSteps(t *testing.T) {
	const lines = 300
	f := look(t, fmt.Sprintf(`read x; for i in $(seq %d); do echo "line $i of all"; sleep 0.005; done; exec sleep 1000`, lines))
	f.ShowOnly("ship-0")
	f.until("live", func() bool { return f.PaneOf("ship-0").IsLive() })
	before := f.ships["ship-0"].Wire.Reads()
	f.ships["ship-0"].Tmux("send-keys", "-t", "=ship:", "Enter")
	f.shows("ship-0", fmt.Sprintf("line %d of all", lines))
	if n := f.ships["ship-0"].Wire.Reads() - before; n > lines/3 {
		t.Errorf("%d lines in %d reads", lines, n)
	}
}

// A view sends notices exactly while there is something new.
func TestNotices(t *testing.T) {
	f := look(t, `read x; yes 'a line that fills some room'`)
	f.ShowOnly("ship-0")
	f.until("live", func() bool { return f.PaneOf("ship-0").IsLive() })
	before := f.notices.Load()
	const most = 10      // still allowed at the beginning: the view is blank, and gets its size
	for range 5 * most { // the ship's tmux sends everything before its answer
		f.equal("ship-0")
	}
	if n := f.notices.Load() - before; n > most {
		t.Errorf("%d notices while nothing changed", n)
	}
	if err := f.PaneOf("ship-0").SendKey(tea.KeyPressMsg{Code: tea.KeyEnter}); err != nil {
		t.Fatal(err)
	}
	f.shows("ship-0", "fills")
	before = f.notices.Load()
	f.until("there are more notices", func() bool { return f.notices.Load() > before+2 })
}
