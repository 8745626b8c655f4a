//go:build long

package voyage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// TestSpriteWithServicesOfRoot has a sprite run its services as the superuser with hardly any environment, its SSH server
// among them. Its ship works as the user whose home it is, and the captain gets a shell there.
func TestSpriteWithServicesOfRoot(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Fatal("only the superuser can make such a sprite: run this test as root")
	}
	hub := helmtest.Hub(t)
	f := spritestest.Start(t, spritestest.Options{Exe: helmtest.Program, Args: []string{"aboard", "sshd"}, RootServices: true})
	helmtest.AtSprites(t, f, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "sprites"}, "#!/bin/sh\n", helmtest.Task("1", "id -u >user"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	v.sets(t, 1)
	accepted(t, v)
	if user := git(t, d, "show", "HEAD:user"); user != "1000" {
		t.Errorf("it works as user %s", user)
	}
	s, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	shell, err := s.Reach.Link().StartPty(t.Context(), link.Command{Stdin: strings.NewReader("echo user-$(id -u)\nexit\n"), Stdout: out}, link.Terminal{Type: "xterm", Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer shell.Close()
	select {
	case <-shell.Done():
	case <-eventually.Context(t).Done():
		t.Error("the shell does not end")
	}
	eventually.Succeeds(t, "the shell says who it is", func() error { // what it printed may come after the word of its end
		said, err := os.ReadFile(out.Name())
		if err == nil && !strings.Contains(string(said), "user-1000") {
			err = fmt.Errorf("it says %q", said)
		}
		return err
	})
	if b := v.Board(); b.Ships[0].Status.Word != fleet.Done {
		t.Errorf("it is %+v", b.Ships[0].Status)
	}
}
