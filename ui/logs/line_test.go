package logs

import (
	"strings"
	"testing"
	"unicode"
)

func TestRecordsInWords(t *testing.T) {
	for raw, want := range map[string]string{
		`"agent.started","data":{"agent":"claude","start":3,"resumed":true}`:                     "agent claude starts, taking its session up again, start 3",
		`"agent.exited","data":{"code":1}`:                                                       "agent exits with code 1, and is started again",
		`"agent.exited","data":{"code":-1,"signal":"SIGKILL","final":true,"reason":"too often"}`: "agent was killed by SIGKILL: too often",
		`"agent.state","data":{"state":"working"}`:                                               "",
		`"agent.state","data":{"state":"limited","why":"until 14:00"}`:                           "limited: until 14:00",
		`"tamper","data":{"task":"3","what":"status"}`:                                           "task 3 was changed behind the store's back: status",
		`"proposal","data":{"text":"a new task"}`:                                                "proposes: a new task",
		`"agent.exited","data":[]`:                                                               "",
		`"something new","data":{}`:                                                              "",
	} {
		l, ok := Parse([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"ship-0","text":"","kind":` + raw + `}`))
		if !ok || l.Words != want {
			t.Errorf("%s: %q, want %q", raw, l.Words, want)
		}
	}
}

func TestString(t *testing.T) {
	l, ok := Parse([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"ship-0","kind":"error","turn":3,"text":"one\n\u001b[31mtwo\u001b]52;c;eA==\u0007"}`))
	want := l.At.Local().Format("15:04:05") + " [ship-0] [Turn 3] error: one\n                  two"
	if !ok || l.String() != want {
		t.Errorf("got %q", l.String())
	}
}

// Whatever a log holds, the shown text is harmless.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"ship-0","role":"worker","kind":"say","turn":3,"text":"hello\nthere"}`))
	f.Add([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"\u001b[2J","kind":"error","text":"\u009b31m"}`))
	f.Add([]byte("{\n\n{\"t\":1}\nnull\n[]\n\xff\xfe\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, ok := Parse(data)
		if ok && strings.ContainsFunc(l.String()+l.Role+l.Kind, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Fatalf("%q is shown as %q", data, l.String())
		}
	})
}
