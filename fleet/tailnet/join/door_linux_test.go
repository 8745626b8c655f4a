package join_test

import (
	"fmt"
	"net"
	"testing"

	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/tailnet/tailnettest"
)

// TestOtherDoor finds another port for the ship's SSH server where the usual one is taken.
func TestOtherDoor(t *testing.T) {
	if !apart(t) {
		return
	}
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", local.StandingPort))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			c.Close()
		}
	}()
	lab, shelf, home, mine := tailnettest.Start(t, ""), tailnettest.NewShelf(t), ship(t), signer(t)
	o := order(lab, shelf, mine)
	o.Key = "any"
	a, err := obey(t, home, o)
	if err != nil || a.Port == local.StandingPort {
		t.Fatalf("%+v, %v", a, err)
	}
	conn, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", a.Port))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if again, err := obey(t, home, o); err != nil || again != a {
		t.Errorf("again: %+v, %v", again, err)
	}
}
