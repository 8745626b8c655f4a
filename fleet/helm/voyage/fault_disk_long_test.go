//go:build long

package voyage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proctest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/journal"
)

// TestHubDiskIsFull has no room left on the hub while one ship works and another waits: nothing
// is handed out or merged, helm says so, no agent is blamed, and all goes on when there is room.
func TestHubDiskIsFull(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	disk := newDisk(t, hub.Voyages)
	h := startHelm(t, hub)
	next := helmtest.Task("2", "echo 2 >two")
	next.BlockedBy = []string{"1"}
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", gated("1", "echo 1 >one"), next, gated("3", "echo 3 >three"))
	v := openIt(t, h, d)
	v.sets(t, 2)
	for _, ship := range []string{"ship-0", "ship-1"} {
		v.works(t, ship)
	}
	before := v.Store.Snapshot()

	disk.fill(os.Getpid())
	openGates(t, filepath.Join(hub.State, "ships"))
	eventually.Holds(t, "helm says so", func() bool {
		b := v.Board()
		return !b.Disk.IsNone() && contains(b.Disk.Why, []string{"nothing is handed out or merged", "cannot write to " + string(d), "make room there", "goes on by itself"})
	})
	v.tells(t, "nothing is handed out or merged")
	if disk.mounted {
		eventually.Holds(t, "readers learn of it", func() bool { b, err := fleet.ReadBoard(d); return err == nil && !b.Disk.IsNone() })
	}
	asksInVain(t, v, "ship-0")
	asksInVain(t, v, "ship-1")
	for _, s := range v.Store.Snapshot().Tasks {
		if was := before.Task(s.ID); s.Status != was.Status || s.Epoch != was.Epoch {
			t.Fatalf("task %s was %s of epoch %d, and is %s of epoch %d", s.ID, was.Status, was.Epoch, s.Status, s.Epoch)
		}
	}
	disk.free()
	writesAgain(t, v)
	aftermath(t, h, d, func() []string { return nil })
}

// TestShipDiskIsFull has no room left on a ship in the middle of its work. What had come home
// stays there, the captain reads what is wrong, the ship's journal is whole, and the task is done
// when there is room.
func TestShipDiskIsFull(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	disk := newDisk(t, filepath.Join(hub.State, "ships"))
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n",
		helmtest.Task("1", "echo half >one; while [ ! -e ~/gate ]; do sleep 0.3; done; head -c 1000000 /dev/zero | tr '\\0' x >>one || exit 3"))
	v := openIt(t, h, d)
	v.sets(t, 1)
	v.works(t, "ship-0")
	home := ""
	eventually.Holds(t, "half of the work is at home", func() bool {
		for _, s := range v.Board().Ships {
			home = s.Live
		}
		return home != "" && strings.Contains(git(t, d, "ls-tree", "--name-only", home), "one")
	})
	ships, _ := filepath.Glob(filepath.Join(hub.State, "ships", "voyage-*"))
	if len(ships) != 1 {
		t.Fatalf("ships: %s", ships)
	}
	files, _ := filepath.Glob(filepath.Join(ships[0], "*", ".ocaptain", "journal.jsonl"))
	if len(files) != 1 {
		t.Fatalf("journals: %s", files)
	}

	var writers []int
	for _, p := range proctest.With(filepath.Base(ships[0])) {
		var pid int
		_, _ = fmt.Sscan(p, &pid)
		writers = append(writers, pid)
	}
	disk.fill(writers...)
	f, err := os.OpenFile(filepath.Join(filepath.Dir(filepath.Dir(files[0])), "voyage", "workspace", "one"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("most\n") // needs no room
	f.Close()
	if err != nil {
		t.Fatal(err)
	}
	v.tells(t, "cannot be copied home", "what came before stays")
	if got := git(t, d, "show", home+":one"); got != "half" {
		t.Errorf("at home there is %q", got)
	}
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Status == tasks.Completed {
			t.Errorf("task %s is completed", s.ID)
		}
	}
	openGates(t, ships[0])
	v.tells(t, "takes no tasks for now", "nothing can be written on it: no space left on device")
	disk.free()
	accepted(t, v)
	if _, err := journal.Read(files[0], 0, func(r journal.Record) error {
		if r.Kind == journal.Damaged {
			t.Errorf("damaged: %s", r.Data)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if size := len(git(t, d, "show", "HEAD:one")); size < 1000000 {
		t.Errorf("%d bytes were merged", size)
	}
	aftermath(t, h, d, func() []string { return nil })
}

// TestHubDiskRefuses has the hub's disk take what is written and then not keep it, while one ship works and
// another waits. Nothing counts that is not on the disk, and all goes on without a new helm.
func TestHubDiskRefuses(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	next := helmtest.Task("2", "echo 2 >two")
	next.BlockedBy = []string{"1"}
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", gated("1", "echo 1 >one"), next)
	v := openIt(t, h, d)
	v.sets(t, 2)
	eventually.Holds(t, "somebody works", func() bool { return v.Store.Snapshot().Task("1").Status == tasks.InProgress })
	v.journal.FlushBy(func(*os.File) error { return errors.New("input/output error") })
	openGates(t, filepath.Join(hub.State, "ships"))
	eventually.Holds(t, "helm says so", func() bool {
		b := v.Board()
		return !b.Disk.IsNone() && contains(b.Disk.Why, []string{"nothing is handed out or merged", "write journal to disk: input/output error", "goes on by itself"})
	})
	asksInVain(t, v, "ship-0")
	asksInVain(t, v, "ship-1")
	if s := v.Store.Snapshot().Task("2"); s.Status != tasks.Pending {
		t.Fatalf("task 2 is %s", s.Status)
	}
	v.journal.FlushBy(nil)
	writesAgain(t, v)
	aftermath(t, h, d, func() []string { return nil })
}
