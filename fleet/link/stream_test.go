package link_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
)

func TestStream(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	s, err := l.Stream(ctx, sh(`while read line; do echo "got $line"; done; echo end`))
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(s)
	for _, word := range []string{"one", "two"} {
		if _, err := io.WriteString(s, word+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := out.ReadString('\n'); line != "got "+word+"\n" {
			t.Fatalf("got %q, %v", line, err)
		}
	}
	_ = s.CloseWrite()
	rest, err := io.ReadAll(out)
	if string(rest) != "end\n" || err != nil {
		t.Errorf("got %q, %v", rest, err)
	}
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := s.Write([]byte("late")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("write after the end: %v", err)
	}
}

func TestStreamTellsHowItEnded(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	s, err := l.Stream(soon(t), sh("echo no such voyage >&2; exit 3"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(s); len(b) > 0 || err != nil {
		t.Errorf("read %q, %v", b, err)
	}
	var exit *link.ExitError
	if err := s.Wait(); !errors.As(err, &exit) || exit.Code != 3 || exit.Stderr != "no such voyage" {
		t.Errorf("got %v", err)
	}
}

func TestStreamClose(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	for name, script := range map[string]string{
		"ends by itself":   `echo $$; exec cat`,
		"must be signaled": `echo $$; while :; do sleep 1; done`,
		"does not read":    `echo $$; exec sleep 1000`,
		"does not stop":    `echo $$; exec yes`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := l.Stream(soon(t), sh(script))
			if err != nil {
				t.Fatal(err)
			}
			pid, err := bufio.NewReaderSize(s, 16).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			read, wrote := make(chan error), make(chan error)
			go func() {
				_, err := io.Copy(io.Discard, s)
				read <- err
			}()
			go func() {
				_, err := io.Copy(s, endless{})
				wrote <- err
			}()
			s.Close()
			<-read  //nolint:errcheck // only that it ended matters
			<-wrote //nolint:errcheck // only that it ended matters
			eventually.Holds(t, "the command has ended", func() bool { return !alive(pid) })
			<-s.Done()
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, strings.Repeat("x", len(p))), nil }

func TestStreamEndsWithContext(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	ctx, cancel := context.WithCancel(soon(t))
	s, err := l.Stream(ctx, sh(`echo $$; exec sleep 1000`))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := bufio.NewReader(s).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := s.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	eventually.Holds(t, "the command has ended", func() bool { return !alive(pid) })
}

func TestPty(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	p, err := l.StartPty(soon(t), sh(`stty size; echo $TERM; read x; stty size; exit 5`), link.Terminal{Type: "screen", Cols: 123, Rows: 45})
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(p)
	expect := func(want string) {
		t.Helper()
		for {
			line, err := out.ReadString('\n')
			if strings.TrimRight(line, "\r\n") == want {
				return
			}
			if err != nil {
				t.Fatalf("no %q: %v", want, err)
			}
		}
	}
	expect("45 123")
	expect("screen")
	if err := p.Resize(80, 24); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write([]byte("\r")); err != nil {
		t.Fatal(err)
	}
	expect("24 80")
	_, _ = io.Copy(io.Discard, out)
	var exit *link.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.Code != 5 {
		t.Errorf("got %v", err)
	}
}

func TestPtyShellAndHangup(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	p, err := l.StartPty(soon(t), link.Command{}, link.Terminal{})
	if err != nil {
		t.Fatal(err)
	}
	pidfile := unique(t, "pid")
	if _, err := io.WriteString(p, "echo $$ >"+pidfile+"; exec sleep 1000\r"); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, p) }()
	var pid []byte
	// Wait for this: a hangup just while the shell is replaced by the program would be lost.
	eventually.Holds(t, "the program runs", func() bool {
		pid, _ = os.ReadFile(pidfile)
		name, _ := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/comm")
		return string(name) == "sleep\n"
	})
	p.Close()
	eventually.Holds(t, "it has ended", func() bool { return !alive(string(pid)) })
}
