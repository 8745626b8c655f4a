package voyage

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proctest"
	"ocaptain/tasks/eventually"
)

// homeOf returns the home of a local ship.
func homeOf(t *testing.T, v *Voyage, ship string) string {
	t.Helper()
	machine := reads(v, func() string { return v.Roster.Ship(ship).MachineName(v.Dir.ID()) })
	found, _ := filepath.Glob(filepath.Join(v.common.Hub.State, "ships", machine, "*", ".ocaptain"))
	if len(found) != 1 {
		t.Fatalf("%s has the homes %q", ship, found)
	}
	return filepath.Dir(found[0])
}

// processesOf are the processes of a local ship with a word in their command line.
func processesOf(home, word string) (pids []int) {
	for _, p := range proctest.With(home) {
		var pid int
		if _, err := fmt.Sscan(p, &pid); err == nil && strings.Contains(p, word) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// logsOf are the lines of a ship's log.
func logsOf(t *testing.T, v *Voyage, ship string) string {
	t.Helper()
	raw, err := os.ReadFile(v.Dir.LogFile(ship))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(raw)
}

// An agent stops work on a task that the captain requeues: its command is ended, its work is on a
// ref that the log names, and the next owner hears of it.
func TestRequeueStopsTheAgent(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	run := `echo half >half; while [ ! -e ~/gate ]; do sleep 0.3; done; rm -f half; echo 1 >one`
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", run))
	v := openIt(t, h, d)
	v.sets(t, 1)
	v.works(t, "ship-0")
	home := homeOf(t, v, "ship-0")
	eventually.Holds(t, "half of the work", func() bool {
		_, err := os.Stat(filepath.Join(home, "voyage", "workspace", "half"))
		return err == nil
	})
	first := processesOf(home, "half")
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "1", Reason: "wrong approach"}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "its command ends", func() bool {
		return !slices.ContainsFunc(processesOf(home, "half"), func(pid int) bool { return slices.Contains(first, pid) })
	})
	text := ""
	eventually.Holds(t, "it is told", func() bool { text = logsOf(t, v, "ship-0"); return strings.Contains(text, "taken back from you") })
	for _, want := range []string{"requeued by the captain: wrong approach", "kept on the hub, on refs/ocaptain/parked/ship-0/"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	ref := git(t, d, "for-each-ref", "--format=%(refname)", "refs/ocaptain/parked")
	if ref == "" || git(t, d, "show", strings.Fields(ref)[0]+":half") != "half" {
		t.Errorf("kept: %q", ref)
	}
	eventually.Holds(t, "the next owner is told", func() bool {
		return strings.Contains(logsOf(t, v, "ship-0"), "task 1 was taken back from ship-0: requeued by the captain: wrong approach")
	})
	openGates(t, home)
	accepted(t, v)
	if n := v.Records.Failures(facts.Work, "1"); n != 0 {
		t.Errorf("%d failures are counted", n)
	}
}
