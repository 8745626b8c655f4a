package tasks

import (
	"strings"
	"testing"
	"time"
)

// A task gives back exactly the dispatch that it was made from.
func TestDispatch(t *testing.T) {
	command := "  fix \"it\" $HOME `x` 'y' \\ ö 日本 \t\n\n- and that\n"
	d := Dispatch{Command: command, Worker: "kite-2", Provider: "hosts", Base: "c0", From: "main", Key: "k", At: time.Unix(1e9, 0).UTC()}
	made := d.Task()
	if is := made.Dispatch(); is != d {
		t.Errorf("got %+v, want %+v", is, d)
	}
	if made.Run() != command || made.Status != Pending {
		t.Errorf("%+v", made)
	}
}

func TestDispatchTitle(t *testing.T) {
	for command, want := range map[string]string{
		"fix it":                   "fix it",
		" fix it \n":               "fix it",
		"fix it\nand that":         "fix it…",
		strings.Repeat("ö", 72):    strings.Repeat("ö", 72),
		strings.Repeat("ö", 73):    strings.Repeat("ö", 71) + "…",
		strings.Repeat("x", 1<<16): strings.Repeat("x", 71) + "…",
	} {
		if is := (Dispatch{Command: command}).Task().Subject; is != want {
			t.Errorf("%.20q: %q", command, is)
		}
	}
}

func TestDispatchCheck(t *testing.T) {
	for command, want := range map[string]string{
		"fix\t\"$it\"\nö 日本 👩‍🚀":          "",
		strings.Repeat("x", MaxCommand):   "",
		strings.Repeat("x", MaxCommand+1): "65536 are allowed",
		"":                                "empty",
		" \n\t":                           "empty",
		"a\x1b[31m":                       `control character '\x1b' at byte 2`,
		"a\x00":                           "control character",
		"a\r\n":                           "control character",
		"\xff":                            "not UTF-8",
	} {
		err := Dispatch{Command: command}.Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", command, err)
		}
	}
}
