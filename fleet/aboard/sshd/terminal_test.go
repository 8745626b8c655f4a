package sshd

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/wake"
)

// aTerminal returns a terminal without a session.
func aTerminal(t *testing.T) *terminal {
	t.Helper()
	term := openTerminal(ssh.Marshal(struct {
		Kind                      string
		Cols, Rows, Width, Height uint32
		Modes                     string
	}{Kind: "xterm", Cols: 80, Rows: 24}))
	if term == nil {
		t.Fatal("no terminal")
	}
	t.Cleanup(term.close)
	return term
}

// The client gets all that a command printed before it ended, even if it reads late, and while other programs hold
// the terminal open.
func TestLastWords(t *testing.T) {
	term := aTerminal(t)
	said := strings.Repeat("last words ", 300)
	if _, err := term.tty.WriteString(said); err != nil {
		t.Fatal(err)
	}
	term.finish()
	var got bytes.Buffer
	term.copyTo(&got)
	if got.String() != said {
		t.Errorf("of %d bytes %d arrive", len(said), got.Len())
	}
}

// writes counts the writes to a buffer.
type writes struct {
	bytes.Buffer
	n int
}

func (w *writes) Write(p []byte) (int, error) {
	w.n++
	return w.Buffer.Write(p)
}

// Lines that a command prints one after the other reach a client that only watches in few pieces, and all of them.
func TestOutputInSteps(t *testing.T) {
	term := aTerminal(t)
	const lines = 200
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		for range lines {
			_, _ = term.tty.WriteString("a line\n")
			time.Sleep(2 * time.Millisecond)
		}
		term.finish()
	}()
	var got writes
	term.copyTo(&got)
	<-printed
	if want := strings.Repeat("a line\r\n", lines); got.String() != want {
		t.Errorf("%d bytes arrive instead of %d", got.Len(), len(want))
	}
	if got.n > lines/2 {
		t.Errorf("%d lines arrive in %d pieces", lines, got.n)
	}
}

func TestOutputPause(t *testing.T) {
	const frame = time.Second / 60
	for name, c := range map[string]struct {
		n          int
		sinceInput time.Duration
		want       time.Duration
	}{
		"a line, watched":           {80, time.Hour, frame},
		"much":                      {1 << 10, time.Hour, 0},
		"an echo":                   {1, time.Millisecond, 0},
		"a line, typed to":          {80, time.Second, 0},
		"a line, typed to long ago": {80, 2 * time.Second, frame},
	} {
		if got := outputPause(c.n, c.sinceInput); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Input ends a pause, and old input does not.
func TestInputEndsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		term := &terminal{hurry: wake.New()}
		term.noteInput()
		time.Sleep(time.Minute)
		start := time.Now()
		time.AfterFunc(5*time.Millisecond, term.noteInput)
		term.pause(80)
		if took := time.Since(start); took != 5*time.Millisecond {
			t.Errorf("the pause took %v", took)
		}
	})
}

func TestInputIsNoted(t *testing.T) {
	term := aTerminal(t)
	if _, err := io.Copy(term, strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if outputPause(1, time.Since(time.Unix(0, term.typed.Load()))) != 0 {
		t.Error("after input, output is not sent at once")
	}
}
