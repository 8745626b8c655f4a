package predict

import (
	"strings"
	"testing"
	"time"

	"ocaptain/ui/term"
)

// Each step is what happens at a terminal of 20 columns whose echo takes 150 ms:
//
//	<text  keys are sent one by one; \r is enter, \x7f backspace
//	>text  the far end writes
//	+150   milliseconds pass
//	=text  is shown over the screen
func TestGuesses(t *testing.T) {
	for name, c := range map[string]struct {
		mode  Mode
		steps []string
	}{
		"first echo is awaited":      {Auto, []string{">$ ", "<l", "=", "+150", ">l", "=", "<s", "=s", "+150", ">s", "="}},
		"several at once":            {Auto, []string{">$ ", "<l", "+150", ">l", "<s -la", "=s -la", "+150", ">s -", "=la", "+1", ">la", "="}},
		"enter begins anew":          {Auto, []string{">$ ", "<l", "+150", ">l", "<s\r", "=", "+150", ">s\r\n$ ", "<p", "=", "+150", ">p", "<w", "=w"}},
		"password":                   {Auto, []string{">$ ", "<s", "+150", ">s", "<u\r", "+150", ">u\r\nPassword: ", "<secret", "=", "+3000", "="}},
		"asked meanwhile":            {Auto, []string{">$ ", "<l", "+150", ">l", "<s", "=s", ">\r\nPassword: ", "<secret", "=", "+3000", "="}},
		"backspace":                  {Auto, []string{">$ ", "<l", "+150", ">l", "<st\x7f", "=s", "+150", ">st\b \b", "="}},
		"backspace of what is there": {Auto, []string{">$ ", "<l", "+150", ">l", "<\x7f", "=", "<x", "="}},
		"wrong":                      {Auto, []string{">$ ", "<l", "+150", ">l", "<s", "=s", "+150", ">*", "=", "<q", "="}},
		"wrong, silently":            {Auto, []string{">$ ", "<l", "+150", ">l", "<s", "=s", "+500", "="}},
		"cursor goes elsewhere":      {Auto, []string{">$ ", "<l", "+150", ">l", "<s", "=s", ">\x1b[3;1H", "=s", "+500", "="}},
		"hidden cursor":              {Always, []string{">\x1b[?25l$ ", "<l", "+150", ">l", "<s", "="}},
		"in the middle of a line":    {Auto, []string{">$ lx\b", "<s", "+150", ">sx\b", "<t", "="}},
		"before a border":            {Always, []string{">\x1b[1;10H|\r> ", "<abc", "+9", ">abc", "<de", "=de"}},
		"at the border":              {Always, []string{">\x1b[1;6H|\r> ", "<a", "+9", ">a", "<b", "=b", "<c", "="}},
		"at the end of a line":       {Always, []string{">" + strings.Repeat("x", 17), "<a", "+9", ">a", "<b", "=b", "<c", "="}},
		"drawn in steps":             {Auto, []string{">$ ", "<l", ">\x1b[?25l\x1b[5;9H", "+150", ">\x1b[1;1H\x1b[2K$ ", "<s", ">ls\x1b[?25h", "<x", "=x"}},
		"spaces prove nothing":       {Auto, []string{">$ ", "<  ", ">\x1b[1;19H", "<a", "="}},
		"near":                       {Auto, []string{">$ ", "<l", "+9", ">l", "<s", "="}},
		"near, always":               {Always, []string{">$ ", "<l", "+9", ">l", "<s", "=s"}},
		"never":                      {Never, []string{">$ ", "<l", "+150", ">l", "<s", "="}},
		"wide, and joined":           {Always, []string{">$ ", "<l", "+9", ">l", "<é", "=é", "<漢", "=", "<a", "="}},
		"escape sequence":            {Always, []string{">$ ", "<l", "+9", ">l", "<s", "=s", "<\x1b[A", "="}},
		"resized":                    {Always, []string{">$ ", "<l", "+9", ">l", "<stu", "=stu", ">\x1bc", "+500", "="}},
	} {
		t.Run(name, func(t *testing.T) {
			g, s, now := Guesser{Mode: c.mode}, term.New(20, 5, 0), time.Unix(0, 0)
			for n, step := range c.steps {
				switch what, text := step[0], step[1:]; what {
				case '<':
					if text[0] == '\x1b' {
						g.Type(now, s, []byte(text))
						break
					}
					for _, r := range text {
						g.Type(now, s, []byte(string(r)))
					}
				case '>':
					_, _ = s.Write([]byte(text))
				case '+':
					d, err := time.ParseDuration(text + "ms")
					if err != nil {
						t.Fatal(err)
					}
					now = now.Add(d)
				case '=':
					if _, _, got := g.Shown(); got != text {
						t.Fatalf("step %d: shows %q, want %q", n, got, text)
					}
				}
				g.Check(now, s)
			}
		})
	}
}

// TestPlace checks where a guess is shown.
func TestPlace(t *testing.T) {
	g, s, now := Guesser{Mode: Always}, term.New(20, 5, 0), time.Unix(0, 0)
	_, _ = s.Write([]byte("\r\n$ "))
	g.Type(now, s, []byte("a"))
	_, _ = s.Write([]byte("a"))
	g.Check(now, s)
	g.Type(now, s, []byte("b"))
	if x, y, text := g.Shown(); x != 3 || y != 1 || text != "b" {
		t.Errorf("%q at column %d of row %d", text, x, y)
	}
}

// FuzzGuesser lets any bytes be typed and written. Nothing is shown outside of the screen.
func FuzzGuesser(f *testing.F) {
	f.Add([]byte("a\x00a\x00bb\x00\x1b[5;19Hcc"))
	f.Fuzz(func(t *testing.T, all []byte) {
		g, s, now := Guesser{Mode: Always}, term.New(20, 5, 0), time.Unix(0, 0)
		for n, part := range strings.Split(string(all), "\x00") {
			if n%2 == 0 {
				for _, r := range part {
					g.Type(now, s, []byte(string(r)))
				}
			} else {
				_, _ = s.Write([]byte(part))
			}
			now = now.Add(time.Millisecond)
			g.Check(now, s)
			if x, y, text := g.Shown(); text != "" && (x < 0 || y < 0 || y >= 5 || x+len([]rune(text)) > 19) {
				t.Fatalf("%q at column %d of row %d", text, x, y)
			}
		}
	})
}
