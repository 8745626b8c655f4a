package attach

import (
	"testing"

	"ocaptain/ui/term"
)

// Wherever a ship's output breaks off, the captain's terminal is as it was.
func TestSane(t *testing.T) {
	const on = "\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[?1h\x1b=\x1b[?25l\x1b[5 q\x1b[2;4r\x1b[?6h\x1b[4h\x1b[1;7;31m"
	for name, end := range map[string]string{
		"between sequences": "", "escape": "\x1b", "control sequence": "\x1b[38;5", "title": "\x1b]0;half a tit",
		"device control": "\x1bPq#0;2", "title, escape": "\x1b]52;c;aGVs\x1b", "character": "\xe2\x94", "charset": "\x1b(",
		"device control, escape": "\x1bPtmux;\x1b\x1b[", "line drawing": "\x1b(0qqq", "shifted": "\x0e",
	} {
		s := term.New(20, 5, 0)
		_, _ = s.Write([]byte("$ ocaptain shell" + on + "ship" + end + sane + "\r\n$ qx"))
		if m := s.Modes(); m != (term.Modes{}) {
			t.Errorf("%s: modes are %+v", name, m)
		}
		cur := s.Cursor()
		if !cur.Visible || cur.Shape != term.DefaultShape || cur.X != 4 || cur.Y != 1 {
			t.Errorf("%s: the cursor is %+v", name, cur)
		}
		if row := string(s.AppendRow(nil, 1, 0, 6)); row != "$ qx  " {
			t.Errorf("%s: the next line is %q", name, row)
		}
	}
}
