package dirstore_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ocaptain/tasks/redislog/redistest"
)

// way is a way to a Redis that can lose what goes there.
type way struct {
	URL   string
	redis string // its socket

	mu   sync.Mutex
	open chan struct{} // closed while requests get through
	lost func()        // to be called in place of an answer to a claim, nil for none
}

// passOn opens a way to a Redis, until the test ends.
func passOn(t *testing.T, server *redistest.Server) *way {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "way") // a path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	w := &way{URL: "unix://" + filepath.Join(dir, "socket"), redis: strings.TrimPrefix(server.URL, "unix://"), open: make(chan struct{})}
	close(w.open)
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.Close()
		_ = os.RemoveAll(dir)
	})
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go w.pass(client)
		}
	}()
	return w
}

// stop keeps requests back, until the returned function is called.
func (w *way) stop() (goOn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	open := make(chan struct{})
	w.open = open
	return func() { close(open) }
}

// loseAnswer calls f in place of passing on the answer to the next claim.
func (w *way) loseAnswer(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = f
}

// pass passes on what comes by one connection.
func (w *way) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", w.redis)
	if err != nil {
		return
	}
	defer server.Close()
	claims := make(chan func(), 1) // has a value when the next answer is to be lost
	go func() {
		defer client.Close()
		copied(client, server, func([]byte) bool {
			select {
			case lost := <-claims:
				lost()
				return false
			default:
				return true
			}
		})
	}()
	copied(server, client, func(request []byte) bool {
		w.mu.Lock()
		open := w.open
		if w.lost != nil && bytes.Contains(request, []byte("task.claimed")) {
			claims <- w.lost
			w.lost = nil
		}
		w.mu.Unlock()
		<-open
		return true
	})
}

// copied passes on what comes while ok.
func copied(to io.Writer, from io.Reader, ok func(data []byte) bool) {
	for data := make([]byte, 64<<10); ; {
		n, err := from.Read(data)
		if err != nil || !ok(data[:n]) {
			return
		}
		if _, err := to.Write(data[:n]); err != nil {
			return
		}
	}
}
