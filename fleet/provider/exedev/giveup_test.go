package exedev_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev/exedevtest"
)

// A captain who gives up leaves nothing either when the order had to wait for its turn for longer than
// a machine may take to appear.
func TestGivenUpAfterALongWait(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	all := s.fake.Token("ls", "new", "rm", "ssh", "whoami", "ssh-key add")
	s.options.Token = func() string { return all }
	s.options.Settle = 4 * time.Second
	p := s.provider()
	if _, err := p.Create(soon(t), s.spec("ship-0")); err != nil { // its key is let in from now on
		t.Fatal(err)
	}
	s.fake.Misbehave("new", exedevtest.Late)
	giveBack := p.TakeTurn()
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := p.Create(ctx, s.spec("ship-1"))
		ended <- err
	}()
	until(t, "recorded a while ago", func() bool {
		info, err := os.Stat(filepath.Join(s.options.Dir, "ship-1.json"))
		return err == nil && time.Since(info.ModTime()) > s.options.Settle
	})
	giveBack()
	until(t, "asked for", func() bool { return s.said("new") == 2 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if err := p.Destroy(soon(t), "ship-1"); err != nil {
		t.Fatal(err)
	}
	if n := s.said("rm"); n != 1 {
		t.Errorf("rm was said %d times: it never appeared", n)
	}
	if left := s.leftovers(provider.Machine{Name: "ship-1"}); len(left) > 0 || strings.Contains(strings.Join(s.fake.Machines(), " "), "ship-1") {
		t.Errorf("left: %q, %q", left, s.fake.Machines())
	}
}

func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("not in time: %s", what)
}
