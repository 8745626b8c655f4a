package voyage

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// bringTo has the ships of a voyage get a file that git ignores.
func bringTo(t *testing.T, d fleet.Dir, name, text string) {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), os.WriteFile(d.Bring(), b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// Files that were brought are there whenever an agent begins with a task, also on a ship that takes another's place, and in no commit. They
// are not what a ship leaves behind, and go from the hub with the voyage.
func TestBringFiles(t *testing.T) {
	t.Parallel()
	const uses = `test "$(cat .env)" = KEY=1 && test "$(stat -c %a .env)" = 600 && git add -A && `
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", uses+"echo 1 >one && rm .env"), helmtest.Task("2", uses+"touch ~/begun && echo 2 >two && until test -e ~/gate; do sleep 0.1; done"))
	bringTo(t, d, ".env", "KEY=1")
	v := openIt(t, h, d)
	sinkAfter(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	home := func() string {
		s, err := v.ShipNamed("ship-0")
		if err != nil {
			t.Fatal(err)
		}
		return s.Record().Home
	}
	eventually.Holds(t, "the second task is under way with the file that the first has removed", func() bool {
		_, err := os.Stat(filepath.Join(home(), "begun"))
		return err == nil
	})
	if err := v.Fit.Replace(t.Context(), "ship-0", func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	s, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the new ship is connected", func() bool { return s.Reach.IsConnected() })
	if _, err := s.BringHome(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, _ := s.Ignores.Known(); found != (proto.Ignored{}) {
		t.Errorf("it leaves %+v behind", found)
	}
	if err := os.WriteFile(filepath.Join(home(), "gate"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the second task is done", func() bool { return v.state("2").Status == tasks.Completed })
	if got := git(t, d, "log", "--all", "--format=", "--name-only"); bytes.Contains([]byte(got), []byte(".env")) {
		t.Errorf("commits have %q", got)
	}
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(d.Bring()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the hub keeps the files of a voyage that is sunk: %v", err)
	}
}
