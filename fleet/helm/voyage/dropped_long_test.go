//go:build long

package voyage

import (
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// TestCaptainResets has the captain take back a completed task's commit while another ship works: the captain is told which
// task has lost its work, once, also by the next helm.
func TestCaptainResets(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	last := gated("3", "echo 3 >three")
	last.BlockedBy = []string{"1", "2"}
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"), helmtest.Task("2", "true"), last)
	v := openIt(t, h, d)
	v.sets(t, 1)
	eventually.Holds(t, "task 3 is worked on", func() bool {
		s := v.Store.Snapshot().Held("ship-0")
		return s != nil && s.ID == "3" && v.Records.IsCheckedOut(s)
	})
	start := git(t, d, "rev-list", "--max-parents=0", "HEAD")
	git(t, d, "reset", "-q", "--hard", start)
	openGates(t, hub.State)
	v.tells(t, "task 1 is completed, but its work is not on branch", "git cherry-pick")
	eventually.Holds(t, "the end", v.is(fleet.Complete))
	v.claims.NameDropped()
	if said := strings.Count(notesOf(v), "its work is not on branch"); said != 1 || strings.Contains(notesOf(v), "task 2 is completed") {
		t.Errorf("said %d times: %s", said, notesOf(v))
	}
}
