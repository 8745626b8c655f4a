package attach

import (
	"bytes"
	"testing"
)

func TestKeys(t *testing.T) {
	for _, tt := range []struct {
		name  string
		typed []string // in the pieces in which they arrive
		sent  string
		rest  string
		leave bool
	}{
		{"text", []string{"ls -l\r"}, "ls -l\r", "", false},
		{"leave, then a key", []string{"ab\x11", "c"}, "ab", "c", true},
		{"leave in one piece", []string{"a\x11b"}, "a", "b", true},
		{"twice sends one", []string{"\x11", "\x11"}, "\x11", "", false},
		{"twice in one piece", []string{"a\x11\x11b"}, "a\x11b", "", false},
		{"three times", []string{"\x11\x11\x11x"}, "\x11", "x", true},
		{"kitty", []string{"a\x1b[113;5u", "b"}, "a", "b", true},
		{"kitty, pressed", []string{"\x1b[113;5:1ub"}, "", "b", true},
		{"kitty, released", []string{"\x1b[113;5u\x1b[113;5:3ub"}, "", "b", true},
		{"kitty, only released", []string{"a\x1b[113;5:3ub"}, "ab", "", false},
		{"kitty, held down", []string{"\x1b[113;5u\x1b[113;5:2u\x1b[113;5:2u\x1b[Ab"}, "", "\x1b[Ab", true},
		{"kitty, caps lock", []string{"\x1b[113;69ub"}, "", "b", true},
		{"kitty, num lock and caps lock", []string{"\x1b[113;197ub"}, "", "b", true},
		{"kitty, shifted key told", []string{"\x1b[113:81;5ub"}, "", "b", true},
		{"kitty, other script", []string{"\x1b[1081::113;5ub"}, "", "b", true},
		{"kitty, text told", []string{"\x1b[113;5;113ub"}, "", "b", true},
		{"kitty, alt too", []string{"\x1b[113;7u"}, "\x1b[113;7u", "", false},
		{"xterm", []string{"a\x1b[27;5;113~", "b"}, "a", "b", true},
		{"xterm, num lock", []string{"\x1b[27;133;113~b"}, "", "b", true},
		{"kitty twice", []string{"\x1b[113;5u\x1b[113;5u"}, "\x11", "", false},
		{"mixed twice", []string{"\x11", "\x1b[27;5;113~"}, "\x11", "", false},
		{"split", []string{"a\x1b[11", "3;5u", "b"}, "a", "b", true},
		{"split everywhere", []string{"\x1b", "[", "1", "1", "3", ";", "5", "u", "b"}, "", "b", true},
		{"almost", []string{"\x1b[113;6u"}, "\x1b[113;6u", "", false},
		{"split almost", []string{"\x1b[11", "4;5u"}, "\x1b[114;5u", "", false},
		{"long", []string{"\x1b[1111111111111111111111111111111111111111111111111113;5u"}, "\x1b[1111111111111111111111111111111111111111111111111113;5u", "", false},
		{"arrow", []string{"\x1b[A"}, "\x1b[A", "", false},
		{"alt-q", []string{"\x1bq"}, "\x1bq", "", false},
		{"alt-ctrl-q", []string{"a\x1b\x11b"}, "a\x1b", "b", true},
		{"paste", []string{"\x1b[200~a\x11b\x1b[113;5uc\x1b[201~d"}, "\x1b[200~a\x11b\x1b[113;5uc\x1b[201~d", "", false},
		{"paste, then leave", []string{"\x1b[200~a\x11b\x1b[201~\x11d"}, "\x1b[200~a\x11b\x1b[201~", "d", true},
		{"paste in pieces", []string{"\x1b[20", "0~a", "\x11", "b\x1b", "[201", "~", "\x11d"}, "\x1b[200~a\x11b\x1b[201~", "d", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var k keys
			var sent, rest []byte
			leave := false
			for _, piece := range tt.typed {
				var some []byte
				some, rest, leave = k.split([]byte(piece))
				sent = append(sent, some...)
			}
			if string(sent) != tt.sent || string(rest) != tt.rest || leave != tt.leave {
				t.Errorf("sent %q, rest %q, leave %v; want %q, %q, %v", sent, rest, leave, tt.sent, tt.rest, tt.leave)
			}
		})
	}
}

// An unfinished key is sent after a moment; after a ctrl-q it is for the next reader.
func TestLateKeys(t *testing.T) {
	for _, tt := range []struct {
		typed, sent, rest string
		leave             bool
	}{
		{"\x1b[11", "\x1b[11", "", false},
		{"\x1b", "\x1b", "", false},
		{"\x11", "", "", true},
		{"\x11\x1b", "", "\x1b", true},
	} {
		var k keys
		if sent, _, leave := k.split([]byte(tt.typed)); leave || len(sent) > 0 {
			t.Errorf("%q: sent %q at once", tt.typed, sent)
		}
		sent, rest, leave := k.timeOut()
		if string(sent) != tt.sent || string(rest) != tt.rest || leave != tt.leave {
			t.Errorf("%q: sent %q, rest %q, leave %v", tt.typed, sent, rest, leave)
		}
	}
}

// Bytes without a ctrl-q arrive unchanged, however they are cut into pieces.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("hello\x1b[A\x1b[113;6u"), 3)
	f.Add([]byte("\x1b[27;5;113"), 1)
	f.Add([]byte("\x1b[200~\x11\x1b[201~\x11\x11a\x1b[113;5:3u\x1b[113:81;5u\x11z"), 2)
	f.Fuzz(func(t *testing.T, typed []byte, size int) {
		size = max(1, min(size, len(typed)))
		var whole, parts keys
		want, wantRest, wantLeave := whole.split(typed)
		var sent, rest []byte
		leave := false
		at := 0
		for !leave && at < len(typed) {
			n := min(size, len(typed)-at)
			var some []byte
			some, rest, leave = parts.split(typed[at : at+n])
			sent, at = append(sent, some...), at+n
		}
		rest = append(rest, typed[at:]...)
		if leave != wantLeave || !bytes.Equal(sent, want) || leave && !bytes.HasSuffix(wantRest, rest) && !bytes.HasSuffix(rest, wantRest) {
			t.Fatalf("in pieces of %d: sent %q, rest %q, leave %v; want %q, %q, %v", size, sent, rest, leave, want, wantRest, wantLeave)
		}
		if !bytes.ContainsAny(typed, "\x11") && !bytes.Contains(typed, []byte("113")) {
			if leave || !bytes.Equal(append(sent, parts.held...), typed) {
				t.Fatalf("typed %q, sent %q, held %q, leave %v", typed, sent, parts.held, leave)
			}
		}
	})
}
