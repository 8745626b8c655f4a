package voyage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/need"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestFullDiskDamagesNothing has a task file to be written while the disk is full: the disk is to blame, and no file is damaged.
func TestFullDiskDamagesNothing(t *testing.T) {
	hub := helmtest.Hub(t)
	disk := newDisk(t, hub.Voyages)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", tasks.Task{ID: "1", Subject: "one", Description: "x", Status: tasks.Pending})
	v := openStill(t, h, d)
	if err := v.Store.Flush(eventually.Context(t)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(d.TasksDir(), "1.json")
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	disk.fill(os.Getpid())
	if err := os.Rename(file, filepath.Join(string(d), "away")); err != nil { // a removal makes room
		t.Fatal(err)
	}
	needs := func() map[fleet.NeedKind]string {
		all := map[fleet.NeedKind]string{}
		b := v.Board()
		for _, n := range need.All(time.Now().Add(time.Hour), &b, need.Away{}) {
			all[n.Kind] += n.Why
		}
		return all
	}
	eventually.Holds(t, "the captain is told", func() bool { return len(needs()) > 0 })
	all := needs()
	if all[fleet.NeedRecords] != "" || !strings.Contains(all[fleet.NeedDisk], `"1.json"`) || !strings.Contains(all[fleet.NeedDisk], "make room") {
		t.Errorf("the captain is told %q", all)
	}
	disk.free()
	eventually.Holds(t, "the file is there again", func() bool {
		is, err := os.ReadFile(file)
		return err == nil && string(is) == string(was)
	})
	eventually.Holds(t, "nothing is told any more", func() bool { return len(needs()) == 0 })
}
