package exedevtest

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh/knownhosts"
)

// SSHConfig returns an ssh configuration with which "ssh exe.dev" reaches the lobby of a stand-in at addr, with the
// keys in home.
func SSHConfig(home, addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	return fmt.Sprintf("Host exe.dev\n  HostName %s\n  Port %s\n  HostKeyAlias exe.dev\nHost *\n  UserKnownHostsFile %[3]s/.ssh/known_hosts\n  IdentityFile %[3]s/.ssh/id_ed25519\n", host, port, home)
}

// Knows configures a home so that its programs log in to the lobby at addr with a key.
func (f *Fake) Knows(home, addr string, key []byte) {
	f.t.Helper()
	dir := filepath.Join(home, ".ssh")
	err := os.MkdirAll(dir, 0o700)
	for name, text := range map[string]string{
		"config": SSHConfig(home, addr), "known_hosts": knownhosts.Line([]string{"exe.dev"}, f.HostKey) + "\n", "id_ed25519": string(key),
	} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// Addr returns the address of the stand-in.
func (f *Fake) Addr() string { return f.URL[len("http://"):] }

// web is a listener for the HTTP connections.
type web struct {
	net.Listener
	conns chan net.Conn
	over  chan struct{} // closed when there are no further connections
}

func (w *web) Accept() (net.Conn, error) {
	select {
	case conn := <-w.conns:
		return conn, nil
	case <-w.over:
		return nil, http.ErrServerClosed
	}
}

// sort accepts all connections: connections that begin with SSH go to the lobby, and the others to the returned listener.
func (f *Fake) sort(l net.Listener) *web {
	w := &web{l, make(chan net.Conn), make(chan struct{})}
	f.jobs.Go(func() {
		defer close(w.over)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			f.jobs.Go(func() { f.welcome(conn, w) })
		}
	})
	return w
}

func (f *Fake) welcome(conn net.Conn, w *web) {
	f.mu.Lock()
	f.conns[conn] = true
	f.mu.Unlock()
	forget := func() {
		f.mu.Lock()
		delete(f.conns, conn)
		f.mu.Unlock()
	}
	r := bufio.NewReader(conn)
	first, err := r.Peek(1)
	switch {
	case err != nil:
		conn.Close()
		forget()
	case first[0] != 'S':
		forget()
		select {
		case w.conns <- &early{conn, r}:
		case <-w.over:
			conn.Close()
		}
	default:
		f.serveLobby(&early{conn, r})
		conn.Close()
		forget()
	}
}
