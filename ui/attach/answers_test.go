package attach

import "testing"

func TestWithoutAnswers(t *testing.T) {
	for _, tt := range []struct{ name, typed, keys string }{
		{"keys", "j\x1b[A\x1bOP\x1b[15~\x1b[1;5C\x1b[97;5u\x1b[Z\x1b[27;5;113~é\r", "j\x1b[A\x1bOP\x1b[15~\x1b[1;5C\x1b[97;5u\x1b[Z\x1b[27;5;113~é\r"},
		{"the fence", "a\x1b[0nb", "ab"},
		{"attributes", "a\x1b[?62;22cb\x1b[>41;354;0cc\x1bP>|XTerm(354)\x1b\\d\x1bP!|00000000\x1b\\e", "abcde"},
		{"colours", "a\x1b]11;rgb:0000/0000/0000\x1b\\b\x1b]4;1;rgb:ff/00/00\ac", "abc"},
		{"the cursor", "a\x1b[12;40Rb\x1b[?12;40;1Rc", "abc"},
		{"F3", "\x1b[R\x1b[1;2R\x1b[1;16R", "\x1b[R\x1b[1;2R\x1b[1;16R"},
		{"modes", "a\x1b[?2026;2$yb\x1b[4;2$yc\x1b[?0ud\x1b[8;24;80te\x1b[48;24;80;0;0tf\x1b[?997;1ng", "abcdefg"},
		{"the mouse", "a\x1b[<0;10;20Mb\x1b[<0;10;20mc\x1b[M !!d\x1b[32;10;20Me", "abcde"},
		{"the focus", "a\x1b[Ib\x1b[Oc", "abc"},
		{"a title", "a\x1b]lrm -rf /\x1b\\b\x1b]L;x\x1b\\c", "abc"},
		{"a picture", "a\x1b_Gi=1;OK\x1b\\b", "ab"},
		{"keys with alt", "\x1b]abc\x1bP\x1b_\x1b[", "\x1b]abc\x1bP\x1b_\x1b["},
		{"alt and an answer", "\x1b]\x1b[0n", "\x1b]"},
		{"a paste", "\x1b[200~x\x1b[0ny\x1b[201~z", "\x1b[200~x\x1b[0ny\x1b[201~z"},
		{"unfinished", "a\x1b", "a\x1b"},
	} {
		if got := string(withoutAnswers([]byte(tt.typed))); got != tt.keys {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.keys)
		}
	}
}

// The end of an answer is not a key either when the answer's beginning went to the ship.
func TestAnswerInPieces(t *testing.T) {
	for _, answer := range []string{"\x1bP>|XTerm(354)\x1b\\", "\x1b]11;rgb:0/0/0\a", "\x1b[?62;22c", "\x1b[<0;10;20M", "\x1b[M !!", "\x1b[12;40R"} {
		for cut := 2; cut < len(answer)-1; cut++ {
			for split := range cut {
				begun := noteBegunAnswer(noteBegunAnswer(noteBegunAnswer(nil, []byte("ls\x1b[A")), []byte("x"+answer[:split])), []byte(answer[split:cut]))
				if got := string(withoutAnswers(withoutAnswerEnd(begun, []byte(answer[cut:]+"jk")))); got != "jk" {
					t.Errorf("%q and %q: %q", answer[:cut], answer[cut:], got)
				}
			}
		}
	}
	if got := string(withoutAnswerEnd(noteBegunAnswer(nil, []byte("\x1b[A")), []byte("jk"))); got != "jk" {
		t.Errorf("a key: %q", got)
	}
}

func FuzzWithoutAnswers(f *testing.F) {
	f.Add([]byte("a\x1b[<0;10;20Mb\x1b[M !!d\x1b]\x1b[0n\x1b[200~x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := withoutAnswers(b); len(got) > len(b) {
			t.Fatal("it grew")
		}
	})
}
