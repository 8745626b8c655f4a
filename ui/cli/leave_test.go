package cli

import (
	"bytes"
	"io"
	"testing"
)

func TestKeys(t *testing.T) {
	for _, tt := range []struct {
		name  string
		typed []string // in the pieces in which they arrive
		sent  string
		leave bool
	}{
		{"text", []string{"ls -l\r"}, "ls -l\r", false},
		{"leave, then a key", []string{"ab\x11", "c"}, "ab", true},
		{"leave in one piece", []string{"a\x11b"}, "a", true},
		{"twice sends one", []string{"\x11", "\x11"}, "\x11", false},
		{"twice in one piece", []string{"a\x11\x11b"}, "a\x11b", false},
		{"three times", []string{"\x11\x11\x11x"}, "\x11", true},
		{"kitty", []string{"a\x1b[113;5u", "b"}, "a", true},
		{"xterm", []string{"a\x1b[27;5;113~", "b"}, "a", true},
		{"kitty twice", []string{"\x1b[113;5u\x1b[113;5u"}, "\x11", false},
		{"mixed twice", []string{"\x11", "\x1b[27;5;113~"}, "\x11", false},
		{"split", []string{"a\x1b[11", "3;5u", "b"}, "a", true},
		{"almost", []string{"\x1b[113;6u"}, "\x1b[113;6u", false},
		{"split almost", []string{"\x1b[11", "4;5u"}, "\x1b[114;5u", false},
		{"arrow", []string{"\x1b[A"}, "\x1b[A", false},
		{"escape", []string{"\x1b"}, "\x1b", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var k keys
			var sent []byte
			leave := false
			for _, piece := range tt.typed {
				var some []byte
				some, leave = k.feed([]byte(piece))
				sent = append(sent, some...)
			}
			if string(sent) != tt.sent || leave != tt.leave {
				t.Errorf("sent %q, leave %v; want %q, %v", sent, leave, tt.sent, tt.leave)
			}
		})
	}
}

// One ctrl-q with nothing after it leaves.
func TestCtrlQLeaves(t *testing.T) {
	for _, typed := range []string{"abc\x11", "abc\x1b[113;5u", "abc\x11\x1b[1"} {
		in, feed := io.Pipe()
		var out bytes.Buffer
		left := make(chan bool)
		go func() { left <- readKeys(in, &out) }()
		if _, err := io.WriteString(feed, typed); err != nil {
			t.Fatal(err)
		}
		if !<-left || out.String() != "abc" {
			t.Errorf("%q: sent %q", typed, out.String())
		}
		feed.Close()
	}
}

// A key that stays unfinished is sent after a moment, and the end of the input is no wish to leave.
func TestUnfinishedKey(t *testing.T) {
	in, feed := io.Pipe()
	sent, out := io.Pipe()
	left := make(chan bool)
	go func() { left <- readKeys(in, out) }()
	if _, err := io.WriteString(feed, "\x1b[11"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(sent, got); err != nil || string(got) != "\x1b[11" {
		t.Errorf("sent %q, %v", got, err)
	}
	feed.Close()
	if <-left {
		t.Error("the end of the input left")
	}
}

// Bytes without a ctrl-q arrive unchanged, in whatever pieces they come.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("hello\x1b[A\x1b[113;6u"), 3)
	f.Add([]byte("\x1b[27;5;113"), 1)
	f.Fuzz(func(t *testing.T, typed []byte, size int) {
		for _, q := range ctrlQ {
			if bytes.Contains(typed, q) {
				return
			}
		}
		size = max(1, min(size, len(typed)))
		var k keys
		var sent []byte
		for rest := typed; len(rest) > 0; {
			n := min(size, len(rest))
			some, leave := k.feed(rest[:n])
			if leave {
				t.Fatalf("%q leaves", typed)
			}
			sent = append(sent, some...)
			rest = rest[n:]
		}
		if sent = append(sent, k.held...); !bytes.Equal(sent, typed) {
			t.Fatalf("typed %q, sent %q", typed, sent)
		}
	})
}
