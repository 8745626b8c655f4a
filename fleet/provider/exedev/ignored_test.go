package exedev_test

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/tasks/eventually"
)

// The lobby ignores a client that connects too often: it does not answer for a while. The captain's own ssh commands
// count too. Meanwhile a call ends when its caller gives up, and its error says so, and ships can still be reached.
// After that everything goes on by itself, and nothing is made twice.
func TestIgnoredByTheLobby(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{Connects: 5, Ignores: 3 * time.Second, TellUser: true})
	p := s.provider()
	p.Wait(time.Second)
	m, err := p.Create(soon(t), s.spec("ship-0"))
	if err != nil {
		t.Fatal(err)
	}
	p.Close() // as when it has been idle for a while
	for range 5 {
		s.knock()
	}
	brief := eventually.Brief(t, 500*time.Millisecond)
	if _, err := p.Account(brief); err == nil || !exedev.Unreached(err) {
		t.Errorf("while it is ignored: %v", err)
	}
	conn, err := p.Dial(soon(t), m)
	if err != nil {
		t.Fatalf("a ship is not reached: %v", err)
	}
	conn.Close()
	if _, err := p.Create(soon(t), s.spec("ship-1")); err != nil {
		t.Fatal(err)
	}
	if n, all := s.said("new"), s.fake.Machines(); n != 2 || len(all) != 2 {
		t.Errorf("machines %q, new was said %d times", all, n)
	}
}

// knock connects to the lobby, as an ssh command of the captain does.
func (s *stage) knock() {
	s.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.fake.URL, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { conn.Close() })
	request, err := http.NewRequest(http.MethodConnect, "http://exe.dev:22", nil)
	if err == nil {
		err = request.Write(conn)
	}
	if err == nil {
		_, err = conn.Read(make([]byte, 1)) // by now, the lobby has counted the connection
	}
	if err != nil {
		s.Fatal(err)
	}
}

// The error of a caller that is ignored until it gives up names the likely cause.
func TestIgnoredIsExplained(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{Connects: 1, TellUser: true})
	p := s.provider()
	p.Wait(100 * time.Millisecond)
	brief := eventually.Brief(t, 2*time.Second)
	if _, err := p.Account(brief); err == nil || !strings.Contains(err.Error(), "your own ssh exe.dev counts") {
		t.Errorf("got %v", err)
	}
}
