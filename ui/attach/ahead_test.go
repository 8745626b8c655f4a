package attach

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"ocaptain/ui/term"
	"ocaptain/ui/term/predict"
	"ocaptain/ui/term/sgr"
)

// far is a captain's terminal at a far ship, beside a terminal that gets the ship's output alone.
type far struct {
	*ahead
	now          time.Time
	shown, plain *term.Screen
	filter       filter
}

func newFar(cols, rows int) *far {
	return &far{newAhead(predict.Always, cols, rows), time.Now(), term.New(cols, rows, 0), term.New(cols, rows, 0), filter{ship: "ship-0"}}
}

// output has the ship print.
func (f *far) output(text string) {
	f.now = f.now.Add(50 * time.Millisecond)
	out := bytes.Clone(f.filter.allowed([]byte(text)))
	_, _ = f.plain.Write(out)
	_, _ = f.shown.Write(f.pass(f.now, out))
}

// key has the captain type.
func (f *far) key(keys string) {
	f.now = f.now.Add(10 * time.Millisecond)
	_, _ = f.shown.Write(f.typed(f.now, []byte(keys)))
}

// wait lets all guesses get too old.
func (f *far) wait() {
	f.now = f.now.Add(time.Minute)
	_, _ = f.shown.Write(f.look(f.now))
}

// differs describes how the captain's terminal differs from one without guesses, "" if it does not.
func (f *far) differs() string {
	cols, rows := f.plain.Size()
	for y := range rows {
		for x := range cols {
			if a, b := f.shown.CellAt(x, y), f.plain.CellAt(x, y); a != b {
				return fmt.Sprintf("cell %d,%d is %+v in place of %+v", x, y, a, b)
			}
		}
	}
	if a, b := f.shown.Cursor(), f.plain.Cursor(); a != b {
		return fmt.Sprintf("the cursor is %+v in place of %+v", a, b)
	}
	if a, b := f.shown.Pen(), f.plain.Pen(); a != b {
		return fmt.Sprintf("the pen is %+v in place of %+v", a, b)
	}
	return ""
}

// TestAhead shows typed keys before their echo, and never changes what the ship shows.
func TestAhead(t *testing.T) {
	f := newFar(20, 5)
	f.output("\x1b[2J\x1b[H$ \x1b[1;32m")
	f.key("a")
	if is := f.differs(); is != "" {
		t.Fatalf("before the first echo: %s", is)
	}
	f.output("a")
	f.key("b")
	f.key("cd") // in one read
	c := f.shown.CellAt(3, 0)
	if x := f.shown.Cursor().X; c.Text != "b" || c.Style != (sgr.Style{Underline: sgr.SingleUnderline}) || x != 6 {
		t.Errorf("typed is %+v, and the cursor at %d", c, x)
	}
	f.output("b")
	if c := f.shown.CellAt(3, 0); c.Text != "b" || c.Style.Underline != 0 || f.shown.CellAt(5, 0).Text != "d" {
		t.Errorf("echoed is %+v", c)
	}
	f.output("cd")
	if is := f.differs(); is != "" {
		t.Errorf("after the echoes: %s", is)
	}
	f.key("e")
	f.key("\x7f")
	f.output("")
	f.key("x")
	f.output("\r\n\x1b[0mpassword: ") // something else than the guess
	f.key("s")
	if is := f.differs(); is != "" {
		t.Errorf("while a password is asked for: %s", is)
	}
	f.key("e")
	f.key("c")
	f.wait()
	f.output("\r\n> ")
	f.key("y")
	f.output("y")
	f.key("z")
	if f.differs() == "" {
		t.Error("nothing is guessed any more")
	}
	f.wait()
	if is := f.differs(); is != "" {
		t.Errorf("after a guess that never came: %s", is)
	}
}

// TestAheadKeepsState types while the ship's output has the terminal in a state that guesses could disturb.
func TestAheadKeepsState(t *testing.T) {
	for name, parts := range map[string][2]string{
		"pen":           {"\x1b[3;41m", "more"},
		"region":        {"\x1b[2;4r\x1b[3;3H", "\n\n\nmore"},
		"origin":        {"\x1b[2;4r\x1b[?6h", "more"},
		"insert":        {"\x1b[4h", "more"},
		"line drawing":  {"\x1b(0", "qqq\x1b(B"},
		"shifted":       {"\x1b)0\x0e", "qqq\x0f"},
		"last column":   {"\x1b[1;18Hxyz", "wrapped"},
		"saved cursor":  {"\x1b7\x1b[1m", "\x1b8more"},
		"joined":        {"\U0001F469\u200d", "\U0001F4BB more"},
		"hidden cursor": {"\x1b[?25l", "more\x1b[?25h"},
		"background":    {"\x1b[44m\x1b[2K", "more"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFar(20, 5)
			f.output("\x1b[2J\x1b[3;1H$ a")
			f.key("b")
			f.output("b")
			f.output(parts[0])
			f.key("c")
			f.key("d")
			f.output(parts[1])
			f.wait()
			if is := f.differs(); is != "" {
				t.Error(is)
			}
		})
	}
}

// FuzzAhead checks that guesses leave nothing behind, whatever the ship prints and the captain types. Each byte of order takes a piece of the
// output, or a key.
func FuzzAhead(f *testing.F) {
	f.Add([]byte("\x1b[2J$ ab\x1b[1mcd\x1b[3;4Hx\r\nlong line that wraps around"), []byte("abcdabcdabcd"))
	f.Add([]byte("a\x1b[4ha\x1b(0a\x0ea\x1b[?6h\x1b[2;3r\x1b7\x1b8"), []byte("a\x01a\x02a\x03"))
	f.Fuzz(func(t *testing.T, output, order []byte) {
		s := newFar(12, 4)
		for i, o := range order {
			if o%2 == 1 && len(output) > 0 {
				n := min(len(output), int(o/2)+1)
				s.output(string(output[:n]))
				output = output[n:]
				continue
			}
			s.key(string(rune('a' + i%26)))
			if o%5 == 0 {
				s.output(string(rune('a' + i%26)))
			}
		}
		s.output(string(output))
		s.wait()
		if is := s.differs(); is != "" {
			t.Error(is)
		}
	})
}
