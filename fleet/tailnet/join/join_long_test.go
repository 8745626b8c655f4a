//go:build long

package join_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/join"
	"ocaptain/fleet/tailnet/tailnettest"
)

// TestRestart brings a ship back whose machine was restarted, without a key, and has it leave, after which nothing of its
// tailscaled is left. (The control server for tests asks for the key again where one is required, so here none is.)
func TestRestart(t *testing.T) {
	lab, shelf, mine := tailnettest.Start(t, ""), tailnettest.NewShelf(t), signer(t)
	captain := lab.Join(t, "laptop")
	home := ship(t)
	o := order(lab, shelf, mine)
	o.Key = "any"
	a, err := obey(t, home, o)
	if err != nil {
		t.Fatal(err)
	}
	end(t, home)
	o.Key = ""
	if again, err := obey(t, home, o); err != nil || again != a {
		t.Errorf("after a restart: %+v, %v, and was %+v", again, err, a)
	}
	login(t, &tailnet.Net{Socket: captain.Daemon.Socket}, a, mine)
	if n := shelf.Fetched.Load(); n != 1 {
		t.Errorf("Tailscale was fetched %d times", n)
	}
	if _, err := obey(t, home, join.Order{Leave: true}); err != nil {
		t.Fatal(err)
	}
	for _, shows := range processes(home) {
		if strings.Contains(shows, "--tun=") {
			t.Errorf("it still runs: %q", shows)
		}
	}
	if _, err := os.Stat(filepath.Join(home, ".ocaptain/tailnet/state")); !os.IsNotExist(err) {
		t.Errorf("what it kept of its membership: %v", err)
	}
}

// TestOtherDoor finds another port for the ship's SSH server where the old port is taken.
func TestOtherDoor(t *testing.T) {
	lab, shelf, home, mine := tailnettest.Start(t, ""), tailnettest.NewShelf(t), ship(t), signer(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			c.Close()
		}
	}()
	taken, dir := l.Addr().(*net.TCPAddr).Port, filepath.Join(home, ".ocaptain/tailnet")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "port"), []byte(strconv.Itoa(taken)), 0o600)); err != nil {
		t.Fatal(err)
	}
	o := order(lab, shelf, mine)
	o.Key = "any"
	a, err := obey(t, home, o)
	if err != nil || a.Port == taken {
		t.Fatalf("%+v, %v", a, err)
	}
	conn, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port)))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if again, err := obey(t, home, o); err != nil || again != a {
		t.Errorf("again: %+v, %v", again, err)
	}
}
