package link_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
)

func TestRun(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	ctx := soon(t)

	t.Run("words reach the program as they are", func(t *testing.T) {
		words := []string{"", "a b", "$HOME", "it's", "`id`", "*", "\\", "a\nb", "-n", "~", "é", "\"", "!x", "a=b", "\x01", "#"}
		r, err := l.Run(ctx, sh(`for w; do printf '%s\0' "$w"; done`, words...))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(r.Stdout), strings.Join(words, "\x00")+"\x00"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("environment and directory", func(t *testing.T) {
		cmd := sh(`printf %s "$A|$B|$PWD"`)
		cmd.Env = map[string]string{"A": "it's", "B": "$A\n"}
		cmd.Dir = "/usr/bin/../lib"
		r, err := l.Run(ctx, cmd)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(r.Stdout), "it's|$A\n|/usr/") {
			t.Errorf("got %q", r.Stdout)
		}
	})
	t.Run("input", func(t *testing.T) {
		in := bytes.Repeat([]byte("0123456789abcdef"), 1<<18) // 4 MiB
		var out bytes.Buffer
		if _, err := l.Run(ctx, link.Command{Argv: []string{"cat"}, Stdin: bytes.NewReader(in), Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(in, out.Bytes()) {
			t.Errorf("%d bytes came back of %d", out.Len(), len(in))
		}
	})
	t.Run("input that nobody reads", func(t *testing.T) {
		if _, err := l.Run(ctx, link.Command{Argv: []string{"true"}, Stdin: bytes.NewReader(make([]byte, 8<<20))}); err != nil {
			t.Error(err)
		}
	})
	t.Run("failure", func(t *testing.T) {
		_, err := l.Run(ctx, sh(`echo "no red flag" >&2; exit 7`))
		var exit *link.ExitError
		if !errors.As(err, &exit) || exit.Code != 7 || exit.Stderr != "no red flag" {
			t.Fatalf("got %#v", err)
		}
		if want := "ship-0: sh: exit status 7: no red flag"; err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	})
	t.Run("signal", func(t *testing.T) {
		_, err := l.Run(ctx, sh(`kill -9 $$`))
		var exit *link.ExitError
		if !errors.As(err, &exit) || exit.Signal != "KILL" || exit.Code != 137 {
			t.Errorf("got %#v", err)
		}
	})
	t.Run("no such program", func(t *testing.T) {
		_, err := l.Run(ctx, link.Command{Argv: []string{"ocaptain-does-not-exist"}})
		var exit *link.ExitError
		if !errors.As(err, &exit) || exit.Code != 127 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("only the end of a long complaint", func(t *testing.T) {
		_, err := l.Run(ctx, sh(`seq 100000 >&2; exit 1`))
		var exit *link.ExitError
		if !errors.As(err, &exit) || !strings.HasSuffix(exit.Stderr, "\n100000") || len(exit.Stderr) > 8<<10 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("bad commands", func(t *testing.T) {
		for _, cmd := range []link.Command{
			{},
			{Argv: []string{""}},
			{Argv: []string{"-x"}},
			{Argv: []string{"a\x00b"}},
			{Argv: []string{"true"}, Env: map[string]string{"A=B": ""}},
			{Argv: []string{"true"}, Env: map[string]string{"1": ""}},
		} {
			if _, err := l.Run(ctx, cmd); err == nil {
				t.Errorf("%q ran", cmd.Argv)
			}
		}
	})
}

func TestRunBoundsOutput(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	pidfile := unique(t, "pid")
	_, err := l.Run(soon(t), sh(`echo $$ >"$1"; exec yes`, pidfile))
	if !errors.Is(err, link.ErrOutput) {
		t.Fatalf("got %v", err)
	}
	pid, _ := os.ReadFile(pidfile)
	eventually.Holds(t, "yes has ended", func() bool { return !alive(string(pid)) })

	var out bytes.Buffer
	cmd := sh("printf 12345")
	cmd.Stdout, cmd.MaxOutput = &out, 5
	if _, err := l.Run(soon(t), cmd); err != nil || out.String() != "12345" {
		t.Errorf("at the limit: %q, %v", out.String(), err)
	}
	cmd.MaxOutput = 4
	if _, err := l.Run(soon(t), cmd); !errors.Is(err, link.ErrOutput) {
		t.Errorf("beyond the limit: %v", err)
	}
}

// When ctx ends, the command ends with all processes that it has started, even if it ignores SIGTERM, and even on
// servers that refuse signals, as OpenSSH does for a forced command, and some versions for root.
func TestRunEndsWithContext(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]string{
		"plain":  nil,
		"forced": {`ForceCommand exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`},
	} {
		for trap, script := range map[string]string{
			"gentle":   `sleep 1000 & echo $! >"$1.tmp"; mv "$1.tmp" "$1"; wait`,
			"stubborn": `trap '' TERM; sleep 1000 & echo $! >"$1.tmp"; mv "$1.tmp" "$1"; while :; do wait; sleep 1; done`,
		} {
			t.Run(name+" "+trap, func(t *testing.T) {
				t.Parallel()
				l := openReady(t, options...)
				pidfile := unique(t, "pid")
				ctx, cancel := context.WithCancel(soon(t))
				defer cancel()
				ended := make(chan error, 1)
				go func() {
					_, err := l.Run(ctx, sh(script, pidfile))
					ended <- err
				}()
				var pid []byte
				eventually.Holds(t, "the command runs", func() bool {
					pid, _ = os.ReadFile(pidfile)
					return len(pid) > 0
				})
				cancel()
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
				eventually.Holds(t, "its child has ended", func() bool { return !alive(string(pid)) })
			})
		}
	}
}

// A command that is cancelled while it starts is ended too.
func TestRunCancelledAtAnyMoment(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	file := unique(t, "pids")
	for i := range 40 {
		_, err := l.Run(eventually.Brief(t, time.Duration(i)*8*time.Millisecond), sh(`echo $$ >>"$1"; exec sleep 1000`, file))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	}
	eventually.Holds(t, "all have ended", func() bool {
		_, err := l.Run(soon(t), sh("true")) // by now, all commands before have been started
		pids, _ := os.ReadFile(file)
		for pid := range strings.Lines(string(pids)) {
			if alive(pid) {
				return false
			}
		}
		return err == nil && len(pids) > 0
	})
}

func TestRunDropsWhatStartupFilesPrint(t *testing.T) {
	t.Parallel()
	l := openReady(t, `ForceCommand printf 'welcome to this machine\nno newline'; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`)
	r, err := l.Run(soon(t), sh("echo out"))
	if err != nil || string(r.Stdout) != "out\n" {
		t.Errorf("got %q, %v", r.Stdout, err)
	}
}

func TestRunTellsOfAShellThatRunsNothing(t *testing.T) {
	t.Parallel()
	l := openReady(t, `ForceCommand echo This account is not available.; exit 1`)
	_, err := l.Run(soon(t), sh("echo out"))
	if err == nil || !strings.Contains(err.Error(), "This account is not available.") {
		t.Errorf("got %v", err)
	}
}

func TestRunFailsWithItsInput(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	file := unique(t, "copy")
	broken := io.MultiReader(strings.NewReader("half"), errReader{})
	cmd := sh(`cat >"$1"; echo whole >>"$1"`, file)
	cmd.Stdin = broken
	if _, err := l.Run(soon(t), cmd); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
	if b, _ := os.ReadFile(file); strings.Contains(string(b), "whole") {
		t.Error("the command took a part for the whole")
	}
}

var errBroken = errors.New("the disk is broken")

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errBroken }

// A server allows ten sessions; further calls wait and do not fail.
func TestManyCallsShareTheChannels(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	ctx := soon(t)
	var all sync.WaitGroup
	for range 25 {
		all.Go(func() {
			if r, err := l.Run(ctx, sh("echo hello")); err != nil || string(r.Stdout) != "hello\n" {
				t.Errorf("got %q, %v", r.Stdout, err)
			}
		})
	}
	all.Wait()
}
