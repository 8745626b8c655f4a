package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
)

// logVoyage is a voyage with nothing but logs.
func logVoyage(t *testing.T) fleet.Dir {
	t.Helper()
	d := fleet.Dir(t.TempDir())
	mustMkdir(t, d.Logs())
	return d
}

// logged appends lines to a ship's log, the way helm does.
func logged(t *testing.T, d fleet.Dir, ship string, lines ...fleet.LogLine) {
	t.Helper()
	var b strings.Builder
	for _, l := range lines {
		l.Ship = ship
		raw, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	write(t, d, ship, b.String())
}

func write(t *testing.T, d fleet.Dir, ship, text string) {
	t.Helper()
	f, err := os.OpenFile(d.Log(ship), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func line(second int, text string) fleet.LogLine {
	return fleet.LogLine{At: present.Add(time.Duration(second) * time.Second), Role: "worker", Kind: "say", Text: text}
}

// texts collects what pastLines shows.
func texts(t *testing.T, d fleet.Dir, q logQuery, last int) []string {
	t.Helper()
	var got []string
	if _, err := pastLines(context.Background(), d, q, last, func(l logLine) error {
		got = append(got, l.text)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

// The last lines are the end of all lines, whatever their number, length and filter.
func TestLastLinesAreTheEndOfAll(t *testing.T) {
	d := logVoyage(t)
	for i := range 600 {
		ship := fmt.Sprintf("ship-%d", i%3)
		logged(t, d, ship, line(i, fmt.Sprintf("%d %s", i, strings.Repeat("x", i%700))))
		if i%400 == 0 {
			write(t, d, ship, "damaged\n\n{\"t\":\"2026-03-01T00:00:00Z\",\"text\":\""+strings.Repeat("y", longestLine)+"\"}\n")
		}
	}
	write(t, d, "ship-1", `{"t":"2027-01-01T00:00:00Z","ship":"ship-1","text":"torn`)
	for _, q := range []logQuery{{}, {ships: []string{"ship-1"}}, {grep: regexp.MustCompile(`7 x`)}, {grep: regexp.MustCompile(`^nothing`)}} {
		all := texts(t, d, q, -1)
		for _, n := range []int{0, 1, 2, 10, 299, 5000} {
			want := all[max(0, len(all)-n):]
			if got := texts(t, d, q, n); !slices.Equal(got, want) {
				t.Errorf("last %d of %d: got %d lines", n, len(all), len(got))
			}
		}
	}
	if all := texts(t, d, logQuery{}, -1); len(all) != 600 || all[0] != "0" || !strings.HasPrefix(all[599], "599 ") {
		t.Errorf("%d lines", len(all))
	}
}

func TestFollow(t *testing.T) {
	d := fleet.Dir(t.TempDir())
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	got := make(chan string, 100)
	done := make(chan error, 1)
	go func() {
		done <- followLogs(ctx, d, logQuery{grep: regexp.MustCompile("o")}, map[string]int64{}, func(batch []logLine) error {
			for _, l := range batch {
				got <- l.text
			}
			return nil
		})
	}()
	expect := func(want ...string) {
		t.Helper()
		for _, w := range want {
			select {
			case g := <-got:
				if g != w {
					t.Fatalf("got %q, want %q", g, w)
				}
			case err := <-done:
				t.Fatalf("ended: %v", err)
			case <-ctx.Done():
				t.Fatalf("no %q", w)
			}
		}
	}
	mustMkdir(t, d.Logs()) // it comes later than the one who follows
	logged(t, d, "ship-0", line(1, "one"), line(2, "filtered"))
	expect("one")
	logged(t, d, "ship-1", line(3, "two"))
	expect("two")
	write(t, d, "ship-0", `{"t":"2026-03-01T11:12:20Z","ship":"ship-0","text":"torn `) // no line yet
	write(t, d, "ship-0", "word\"}\n")
	expect("torn word")
	if err := os.Truncate(d.Log("ship-0"), 0); err != nil {
		t.Fatal(err)
	}
	logged(t, d, "ship-0", line(9, "anew of"))
	expect("anew of")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestFollowEndsWithTheVoyage(t *testing.T) {
	d := fleet.Dir(t.TempDir() + "/" + testVoyage)
	mustMkdir(t, d.Logs())
	started := make(chan struct{}, 1)
	done := make(chan error, 1)
	go func() {
		done <- followLogs(context.Background(), d, logQuery{}, map[string]int64{}, func([]logLine) error {
			select {
			case started <- struct{}{}:
			default:
			}
			return nil
		})
	}()
	<-started
	if err := os.RemoveAll(string(d)); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "gone") {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("follows a voyage that is gone")
	}
}

func TestHighlight(t *testing.T) {
	l, ok := parseLog([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"ship-0","text":"an error, another error"}`))
	if !ok {
		t.Fatal("not a line")
	}
	styled := l.shown(logQuery{grep: regexp.MustCompile("error")}, true)
	if n := strings.Count(styled, "\x1b[7m"); n != 2 {
		t.Errorf("%d hits are marked in %q", n, styled)
	}
	if got := ansi.Strip(styled); !strings.HasSuffix(got, "[ship-0] an error, another error") {
		t.Errorf("got %q", got)
	}
}

func TestLogRecordsInWords(t *testing.T) {
	for raw, want := range map[string]string{
		`"agent.started","data":{"agent":"claude","start":3,"resumed":true}`:                    "agent claude starts, taking its session up again, start 3",
		`"agent.exited","data":{"code":1}`:                                                      "agent exits with code 1, and is started again",
		`"agent.exited","data":{"code":-1,"signal":"killed","final":true,"reason":"too often"}`: "agent was killed by killed: too often",
		`"agent.state","data":{"state":"working"}`:                                              "",
		`"agent.state","data":{"state":"limited","why":"until 14:00"}`:                          "limited: until 14:00",
		`"tamper","data":{"task":"3","what":"status"}`:                                          "task 3 was changed behind the store's back: status",
		`"proposal","data":{"text":"a new task"}`:                                               "proposes: a new task",
		`"agent.exited","data":[]`:                                                              "",
		`"something new","data":{}`:                                                             "",
	} {
		l, ok := parseLog([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"ship-0","text":"","kind":` + raw + `}`))
		if !ok || l.text != want {
			t.Errorf("%s: %q, want %q", raw, l.text, want)
		}
	}
}

// Whatever a log holds, what is shown is text.
func FuzzLog(f *testing.F) {
	f.Add([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"ship-0","role":"worker","kind":"say","turn":3,"text":"hello\nthere"}`), "e")
	f.Add([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"\u001b[2J","kind":"error","text":"\u009b31m"}`), "")
	f.Add([]byte("{\n\n{\"t\":1}\nnull\n[]\n\xff\xfe\n"), "(")
	f.Fuzz(func(t *testing.T, data []byte, pattern string) {
		grep, err := regexp.Compile(pattern)
		if err != nil {
			grep = nil
		}
		s := &source{lines: bufio.NewReader(strings.NewReader(string(data) + "\n")), query: logQuery{grep: grep}}
		for l, ok := s.next(); ok; l, ok = s.next() {
			shown := l.shown(s.query, false)
			if again := ansi.Strip(l.shown(s.query, true)); strings.ReplaceAll(again, "\t", "    ") != strings.ReplaceAll(shown, "\t", "    ") {
				t.Fatalf("in colour %q, else %q", again, shown)
			}
			if strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
				t.Fatalf("%q is shown as %q", data, shown)
			}
		}
	})
}
