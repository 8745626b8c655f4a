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

// TestRestart lets a ship rejoin without a key after a restart of its machine. Then it leaves, and nothing of its
// tailscaled is left. (If the control server for tests requires a key, it does so at every start, so here it does not.)
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

// TestOtherDoor uses another port for the ship's SSH server when the old one is taken.
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
