package cli

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// half is a connection that cannot close its sending side alone.
type half struct{ net.Conn }

// loop returns the two ends of a TCP connection.
func loop(t *testing.T) (near, far *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a.(*net.TCPConn), b.(*net.TCPConn)
}

// Everything that the far side sends arrives, whichever side ends first.
func TestPass(t *testing.T) {
	open, never := io.Pipe() // an input that does not end
	defer never.Close()
	for what, c := range map[string]struct {
		in    io.Reader
		whole bool // the connection to the far side cannot be closed in one direction
		far   func(net.Conn)
		want  string
		err   string
	}{
		"the input ends first": {in: strings.NewReader("abc"), want: "ABC", far: func(c net.Conn) {
			all, _ := io.ReadAll(c)
			_, _ = c.Write(bytes.ToUpper(all))
		}},
		"the far side ends first": {in: open, want: "bye", far: func(c net.Conn) { _, _ = io.WriteString(c, "bye") }},
		"the far side ends by itself": {in: strings.NewReader("abc"), whole: true, want: "ABC", far: func(c net.Conn) {
			some := make([]byte, 3)
			_, _ = io.ReadFull(c, some)
			_, _ = c.Write(bytes.ToUpper(some))
		}},
		"the far side waits for an end": {in: strings.NewReader("abc"), whole: true, want: "?", err: "nothing came from there", far: func(c net.Conn) {
			_, _ = io.WriteString(c, "?")
			_, _ = io.ReadAll(c)
		}},
	} {
		near, far := loop(t)
		go func() { c.far(far); far.Close() }()
		conn := net.Conn(near)
		if c.whole {
			conn = half{near}
		}
		var out bytes.Buffer
		err := copyBothWays(t.Context(), conn, c.in, &out, 200*time.Millisecond)
		if out.String() != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", what, &out, err)
		}
		near.Close()
	}
}
