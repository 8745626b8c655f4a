package link_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"ocaptain/fleet/link"
)

// With Stdin and Stdout, a terminal is connected to these. Read then only reports the end.
func TestPtyBetweenStreams(t *testing.T) {
	t.Parallel()
	l := openReady(t)
	in, typed := io.Pipe()
	var shown bytes.Buffer
	pty, err := l.StartPty(soon(t), link.Command{Argv: []string{"sh", "-c", `stty -echo -onlcr; echo ready; read x; echo "got $x"; exit 3`}, Stdin: in, Stdout: &shown}, link.Terminal{})
	if err != nil {
		t.Fatal(err)
	}
	defer pty.Close()
	if _, err := io.WriteString(typed, "word\n"); err != nil {
		t.Fatal(err)
	}
	if n, err := pty.Read(make([]byte, 10)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("read %d bytes, %v", n, err)
	}
	if got := shown.String(); !bytes.HasSuffix([]byte(got), []byte("ready\ngot word\n")) {
		t.Errorf("shown: %q", got)
	}
	typed.Close()
	if err := pty.Wait(); err == nil {
		t.Error("it failed")
	}
}
