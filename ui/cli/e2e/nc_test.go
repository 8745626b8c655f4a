package e2e

import (
	"bytes"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// listens serves connections on this machine's loopback, which local ships share.
func listens(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			go func() { defer c.Close(); serve(c) }()
		}
	}()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// talks connects to ports of a ship with "ocaptain nc", over the tailnet.
func (c *captain) talks(d fleet.Dir) {
	c.Helper()
	run := func(in io.Reader, port string) (string, error) {
		cmd := exec.Command(c.program, "nc", d.ID()+"/ship-0", port)
		var said bytes.Buffer
		cmd.Env, cmd.Stdin, cmd.Stderr = c.env, in, &said
		out, err := cmd.Output()
		if err != nil {
			out = append(out, said.Bytes()...)
		}
		return string(out), err
	}
	long := bytes.Repeat([]byte("0123456789abcdef"), 1<<14)
	answers := listens(c, func(conn net.Conn) { // answers when the client has finished its request
		if _, err := io.ReadFull(conn, make([]byte, len(long))); err == nil {
			_, _ = conn.Write(append(long, "the end"...))
		}
	})
	if out, err := run(bytes.NewReader(long), answers); err != nil || out != string(long)+"the end" {
		c.Errorf("nc, when the other side ends: %d bytes, %v", len(out), err)
	}
	speaks := listens(c, func(conn net.Conn) { _, _ = io.WriteString(conn, "bye") })
	cmd := exec.Command(c.program, "nc", d.ID()+"/ship-0", speaks)
	cmd.Env = c.env
	if _, err := cmd.StdinPipe(); err != nil { // stdin ends only when the command does
		c.Fatal(err)
	}
	if out, err := cmd.Output(); err != nil || string(out) != "bye" {
		c.Errorf("nc, when only the other side ends: %q, %v", out, err)
	}
	if out, code := c.try("nc", d.ID()+"/ship-7", "22"); code != 1 || !strings.Contains(out, "has no \"ship-7\"") {
		c.Errorf("nc to no ship: exit %d, %q", code, out)
	}
	// Port 1 of a node is Tailscale's own.
	if out, code := c.try("nc", d.ID()+"/ship-0", "9"); code != 1 || !strings.Contains(out, "refused") {
		c.Errorf("nc to a port where nobody listens: exit %d, %q", code, out)
	}
}
