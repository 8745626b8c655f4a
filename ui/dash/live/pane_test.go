package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/term"
)

var noon = time.Date(2026, 3, 4, 14, 2, 11, 0, time.Local)

// view returns a pane whose session has this status.
func view(st status, screen *term.Screen) *Pane {
	s := newSession(&Views{}, "ship-2")
	s.status, s.screen = st, screen
	p := &Pane{session: s}
	p.SetNow(noon.Add(20 * time.Second))
	return p
}

// agent returns a screen like an agent's.
func agent() *term.Screen {
	s := term.New(200, 50, 0)
	_, _ = s.Write([]byte("\x1b[1;35m✻\x1b[m Welcome to \x1b[1mthe agent\x1b[m\r\n\r\n"))
	for i := range 20 {
		_, _ = fmt.Fprintf(s, "\x1b[32m●\x1b[m step %d: read and change \x1b[36mfile-%d.go\x1b[m, a line long enough to be cut off in every view that is narrower than the window of the agent, as most of them are\r\n", i, i)
	}
	_, _ = s.Write([]byte("\x1b[2m" + strings.Repeat("─", 200) + "\x1b[m> type here"))
	return s
}

func TestStates(t *testing.T) {
	theme.Activate(theme.Dark)
	defer theme.Activate(theme.Terminal)
	past := term.New(200, 50, 1000)
	for i := range 300 {
		_, _ = fmt.Fprintf(past, "what was shown before, line %d\r\n", i)
	}
	for name, p := range map[string]*Pane{
		"live":         view(status{state: live, seen: noon}, agent()),
		"connecting":   view(status{}, nil),
		"absent":       view(status{state: absent, why: "it is being provisioned: clone", next: "it appears here when the ship is ready"}, nil),
		"sunk":         view(status{state: absent, why: "it is sunk"}, nil),
		"refused":      view(status{state: barred, why: "its host key changed: another machine may answer in its place", tries: 1, next: "if its machine was rebuilt: ocaptain ship replace ship-2"}, nil),
		"unreachable":  view(status{state: broken, why: "connection refused", tries: 2, next: "it is tried again by itself; what is wrong: ocaptain doctor"}, nil),
		"reconnecting": view(status{state: broken, why: "no answer for 10s", tries: 3, seen: noon}, agent()),
		"history":      view(status{state: live, seen: noon}, agent()),
	} {
		if name == "history" {
			p.session.past, p.back = past, 240
		}
		for _, w := range []int{60, 80, 120, 200} {
			body := p.View(pane.InnerSize(w, 14))
			box := pane.Box{Title: p.Title(), Info: p.Info()}
			golden.Screen(t, fmt.Sprintf("%s-%d", name, w), strings.Join(box.Draw(body, w, 14), "\n"), w, 14)
		}
	}
}

// A view that is smaller than the window shows the right part of it.
func TestCrop(t *testing.T) {
	for _, tt := range []struct {
		name   string
		bytes  string // for a window of 40×20
		w, h   int
		x, y   int // of the shown part
		cx, cy int // of the cursor in the view, -1 for none
	}{
		{"empty", "", 20, 5, 0, 0, 0, 0},
		{"few lines", "a\r\nb\r\nc", 20, 5, 0, 0, 1, 2},
		{"many lines", strings.Repeat("a\r\n", 18), 20, 5, 0, 14, 0, 4},
		{"cursor above", strings.Repeat("a\r\n", 18) + "\x1b[3;1H", 20, 5, 0, 0, 0, 2},
		{"cursor in the middle", strings.Repeat("a\r\n", 18) + "\x1b[8;1H", 20, 5, 0, 3, 0, 4},
		{"cursor above, one row", "a\r\na\r\na\r\na\x1b[2;1H", 20, 1, 0, 1, 0, 0},
		{"hidden cursor above", strings.Repeat("a\r\n", 18) + "\x1b[3;1H\x1b[?25l", 20, 5, 0, 13, -1, -1},
		{"cursor below", "a\x1b[20;1H", 20, 5, 0, 15, 0, 4},
		{"cursor right", "\x1b[1;31H", 20, 5, 20, 0, 10, 0},
		{"cursor at the right edge", "\x1b[1;40H", 20, 5, 20, 0, 19, 0},
		{"view is bigger", "a\r\nb", 60, 30, 0, 0, 1, 1},
		{"coloured rows below", "a\x1b[10;1H\x1b[44m\x1b[K\x1b[m\x1b[1;1H", 20, 5, 0, 0, 0, 0},
	} {
		s := term.New(40, 20, 0)
		_, _ = s.Write([]byte(tt.bytes))
		p := view(status{state: live}, s)
		for range 2 { // drawing again changes nothing
			p.View(tt.w, tt.h)
			if p.crop.x != tt.x || p.crop.y != tt.y {
				t.Errorf("%s: the part begins at %d,%d", tt.name, p.crop.x, p.crop.y)
			}
		}
		c, ok := p.Cursor()
		if ok != (tt.cx >= 0) || ok && (c.X != tt.cx || c.Y != tt.cy) {
			t.Errorf("%s: the cursor is %+v", tt.name, c)
		}
	}
}

// Moving the cursor right and back rarely moves the part.
func TestCropMovesSeldom(t *testing.T) {
	s := term.New(200, 20, 0)
	p := view(status{state: live}, s)
	moves, last := 0, 0
	for range 190 {
		_, _ = s.Write([]byte("x"))
		p.View(50, 10)
		if _, ok := p.Cursor(); !ok {
			t.Fatal("the cursor is out of sight")
		}
		if p.crop.x != last {
			moves, last = moves+1, p.crop.x
		}
	}
	if moves > 8 {
		t.Errorf("it moved %d times", moves)
	}
}

// A changed row is drawn again, an unchanged row is not, wherever it moves.
func TestRowsFollowTheScreen(t *testing.T) {
	s := term.New(40, 10, 0)
	p := view(status{state: live}, s)
	for i := range 200 {
		_, _ = fmt.Fprintf(s, "\x1b[%d;%dHx%d\x1b[%dm", i%10+1, i%37+1, i, 31+i%7)
		if i%3 == 0 {
			_, _ = s.Write([]byte("\x1b[10;1H\r\nscrolled"))
		}
		if i%50 == 20 {
			s.Resize(30+i%20, 8+i%5)
		}
		got := p.View(35, 9)
		cols, _ := s.Size()
		for y, row := range got {
			want := string(s.AppendRow(nil, p.crop.y+y, p.crop.x, min(p.crop.x+35, cols))) + strings.Repeat(" ", max(0, 35-cols))
			if row != want {
				t.Fatalf("after %d: row %d is %q, want %q", i, y, row, want)
			}
		}
	}
}

// A ship's name may be hostile too.
func TestHostileName(t *testing.T) {
	s := newSession(&Views{}, "\x1b]0;x\aship\x1b[2J")
	s.status = status{state: barred, why: "so"}
	p := &Pane{session: s}
	all := p.Title() + p.Info() + strings.Join(p.View(60, 5), "")
	if plain := ansi.Strip(all); strings.ContainsAny(plain, "\x1b\a") || strings.Contains(all, "\x1b]") || strings.Contains(all, "\x1b[2J") {
		t.Errorf("%q", all)
	}
}

// BenchmarkView draws a frame with one changed row, and a frame of a lost ship.
func BenchmarkView(b *testing.B) {
	s := agent()
	p := view(status{state: live}, s)
	for i := 0; b.Loop(); i++ {
		_, _ = fmt.Fprintf(s, "\x1b[20;1H%d", i)
		p.View(150, 40)
	}
}
