package live

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach/shiptest"
	"ocaptain/ui/term"
)

type typedKey struct {
	name string
	key  tea.Key
	sent string
	got  string // "" for the same as sent
}

// typed are keys, what is sent for them, and what a program in tmux then gets.
var typed = []typedKey{
	{"letter", tea.Key{Code: 'a', Text: "a"}, "a", ""},
	{"capital", tea.Key{Code: 'a', ShiftedCode: 'A', Mod: tea.ModShift, Text: "A"}, "A", ""},
	{"caps lock", tea.Key{Code: 'a', Mod: tea.ModCapsLock, Text: "A"}, "A", ""},
	{"capital without text", tea.Key{Code: 'a', Mod: tea.ModShift}, "A", ""},
	{"shifted digit", tea.Key{Code: '1', ShiftedCode: '!', Mod: tea.ModShift}, "!", ""},
	{"umlaut", tea.Key{Code: 'ö', Text: "ö"}, "ö", ""},
	{"several characters", tea.Key{Code: tea.KeyExtended, Text: "e\u0301👍🏽"}, "e\u0301👍🏽", ""},
	{"space", tea.Key{Code: tea.KeySpace, Text: " "}, " ", ""},
	{"enter", tea.Key{Code: tea.KeyEnter}, "\r", ""},
	{"shift-enter", tea.Key{Code: tea.KeyEnter, Mod: tea.ModShift}, "\x1b\r", ""},
	{"alt-enter", tea.Key{Code: tea.KeyEnter, Mod: tea.ModAlt}, "\x1b\r", ""},
	{"ctrl-enter", tea.Key{Code: tea.KeyEnter, Mod: tea.ModCtrl}, "\r", ""},
	{"keypad enter", tea.Key{Code: tea.KeyKpEnter}, "\r", ""},
	{"tab", tea.Key{Code: tea.KeyTab}, "\t", ""},
	{"shift-tab", tea.Key{Code: tea.KeyTab, Mod: tea.ModShift}, "\x1b[Z", ""},
	{"backspace", tea.Key{Code: tea.KeyBackspace}, "\x7f", ""},
	{"alt-backspace", tea.Key{Code: tea.KeyBackspace, Mod: tea.ModAlt}, "\x1b\x7f", ""},
	{"ctrl-backspace", tea.Key{Code: tea.KeyBackspace, Mod: tea.ModCtrl}, "\b", ""},
	{"escape", tea.Key{Code: tea.KeyEscape}, "\x1b", ""},
	{"ctrl-c", tea.Key{Code: 'c', Mod: tea.ModCtrl}, "\x03", ""},
	{"ctrl-c with caps lock", tea.Key{Code: 'c', Mod: tea.ModCtrl | tea.ModCapsLock}, "\x03", ""},
	{"ctrl-shift-c", tea.Key{Code: 'c', ShiftedCode: 'C', Mod: tea.ModCtrl | tea.ModShift}, "\x03", ""},
	{"ctrl-c of another script", tea.Key{Code: 'с', BaseCode: 'c', Mod: tea.ModCtrl}, "\x03", ""},
	{"ctrl-alt-c", tea.Key{Code: 'c', Mod: tea.ModCtrl | tea.ModAlt}, "\x1b\x03", ""},
	{"ctrl-space", tea.Key{Code: tea.KeySpace, Mod: tea.ModCtrl}, "\x00", ""},
	{"ctrl-@", tea.Key{Code: '@', Mod: tea.ModCtrl}, "\x00", ""},
	{"ctrl-backslash", tea.Key{Code: '\\', Mod: tea.ModCtrl}, "\x1c", ""},
	{"ctrl-]", tea.Key{Code: ']', Mod: tea.ModCtrl}, "\x1d", ""},
	{"ctrl-/", tea.Key{Code: '/', Mod: tea.ModCtrl}, "\x1f", ""},
	{"ctrl-_", tea.Key{Code: '_', Mod: tea.ModCtrl}, "\x1f", ""},
	{"ctrl-j", tea.Key{Code: 'j', Mod: tea.ModCtrl}, "\n", ""},
	{"alt-b", tea.Key{Code: 'b', Mod: tea.ModAlt}, "\x1bb", ""},
	{"alt-shift-b", tea.Key{Code: 'b', ShiftedCode: 'B', Mod: tea.ModAlt | tea.ModShift}, "\x1bB", ""},
	{"alt-ö", tea.Key{Code: 'ö', Mod: tea.ModAlt}, "\x1bö", ""},
	{"meta-b", tea.Key{Code: 'b', Mod: tea.ModMeta}, "\x1bb", ""},
	{"up", tea.Key{Code: tea.KeyUp}, "\x1bOA", "\x1b[A"},
	{"keypad left", tea.Key{Code: tea.KeyKpLeft}, "\x1bOD", "\x1b[D"},
	{"ctrl-right", tea.Key{Code: tea.KeyRight, Mod: tea.ModCtrl}, "\x1b[1;5C", ""},
	{"alt-shift-up", tea.Key{Code: tea.KeyUp, Mod: tea.ModAlt | tea.ModShift}, "\x1b[1;4A", ""},
	{"home", tea.Key{Code: tea.KeyHome}, "\x1bOH", "\x1b[1~"},
	{"end", tea.Key{Code: tea.KeyEnd}, "\x1bOF", "\x1b[4~"},
	{"page up", tea.Key{Code: tea.KeyPgUp}, "\x1b[5~", ""},
	{"ctrl-page-down", tea.Key{Code: tea.KeyPgDown, Mod: tea.ModCtrl}, "\x1b[6;5~", ""},
	{"delete", tea.Key{Code: tea.KeyDelete}, "\x1b[3~", ""},
	{"insert", tea.Key{Code: tea.KeyInsert}, "\x1b[2~", ""},
	{"F1", tea.Key{Code: tea.KeyF1}, "\x1bOP", ""},
	{"shift-F3", tea.Key{Code: tea.KeyF3, Mod: tea.ModShift}, "\x1b[1;2R", ""},
	{"F5", tea.Key{Code: tea.KeyF5}, "\x1b[15~", ""},
	{"F12", tea.Key{Code: tea.KeyF12}, "\x1b[24~", ""},
	{"F13", tea.Key{Code: tea.KeyF13}, "\x1b[1;2P", ""},
	{"keypad 7", tea.Key{Code: tea.KeyKp7}, "7", ""},
	{"keypad 7 with text", tea.Key{Code: tea.KeyKp7, Text: "7"}, "7", ""},
	{"keypad plus", tea.Key{Code: tea.KeyKpPlus}, "+", ""},
}

// tmuxModes are the modes that an attached tmux sets in its terminal.
var tmuxModes = term.Modes{AppCursor: true, AppKeypad: true, BracketedPaste: true}

func TestEncode(t *testing.T) {
	for _, tt := range typed {
		if got := string(Encode(tt.key, tmuxModes)); got != tt.sent {
			t.Errorf("%s: %q instead of %q", tt.name, got, tt.sent)
		}
	}
	if got := string(Encode(tea.Key{Code: tea.KeyUp}, term.Modes{})); got != "\x1b[A" {
		t.Errorf("up in normal mode: %q", got)
	}
	for _, code := range []rune{tea.KeyCapsLock, tea.KeyLeftShift, tea.KeyMediaPlay, tea.KeyF63, tea.KeyPrintScreen} {
		if got := Encode(tea.Key{Code: code}, tmuxModes); got != nil {
			t.Errorf("%c: %q", code, got)
		}
	}
}

// A program in the ship's tmux gets the same bytes as in a terminal.
func TestKeysArrive(t *testing.T) {
	s := shiptest.Start(t, `stty raw -echo; printf ready; exec od -An -v -tx1 -w1`)
	v := NewViews("voyage-1", nil, func() {})
	defer v.Close()
	l := s.Open()
	ses := newSession(v, "ship-0")
	ses.link = l
	ctx := shiptest.Soon(t)
	if err := l.AwaitConnected(ctx); err != nil {
		t.Fatal(err)
	}
	ses.startStream()
	defer ses.stopStream(0)
	p := &Pane{session: ses}
	eventually.Holds(t, "it is live", p.IsLive)
	var want strings.Builder
	for _, tt := range typed {
		if err := p.SendKey(tea.KeyPressMsg(tt.key)); err != nil {
			t.Fatal(err)
		}
		// A separate escape must not join with the next key.
		want.WriteString(hex(tt))
		eventually.Holds(t, tt.name+" arrives", func() bool { return strings.HasSuffix(arrived(s), hex(tt)) })
	}
	if got := arrived(s); got != want.String() {
		t.Errorf("got  %s\nwant %s", got, want.String())
	}
}

func hex(tt typedKey) string {
	b := tt.got
	if b == "" {
		b = tt.sent
	}
	return fmt.Sprintf(" % x", b)
}

// arrived returns od's output as one line.
func arrived(s *shiptest.Ship) string {
	out := s.Tmux("capture-pane", "-p", "-S", "-", "-t", "=ship:")
	_, out, _ = strings.Cut(out, "ready")
	return " " + strings.Join(strings.Fields(out), " ")
}

func TestEncodePaste(t *testing.T) {
	for text, want := range map[string]string{
		"one\ntwo\r\nthree\tfour": "one\rtwo\rthree\tfour",
		"a\x1b[201~b\x03c\x7f":    "a[201~bc",
		"c1 \u009b201~":           "c1 201~",
	} {
		if got := string(EncodePaste(text, term.Modes{})); got != want {
			t.Errorf("%q: %q", text, got)
		}
		if got := string(EncodePaste(text, tmuxModes)); got != "\x1b[200~"+want+"\x1b[201~" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// No pasted text ends the paste, or presses a key.
func FuzzEncodePaste(f *testing.F) {
	f.Add("a\x1b[201~\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := string(EncodePaste(text, tmuxModes))
		if !utf8.ValidString(got) || strings.Count(got, "\x1b") != 2 || !strings.HasPrefix(got, "\x1b[200~") || !strings.HasSuffix(got, "\x1b[201~") {
			t.Fatalf("%q: %q", text, got)
		}
	})
}
