//go:build long

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
)

// TestSessionKilled kills helm again and again while planners hand in and workers merge: nothing is lost, added or merged twice, and no
// epic is done before its parts are.
func TestSessionKilled(t *testing.T) {
	t.Parallel()
	const epics, parts = 4, 6
	c := newCaptain(t)
	repo := c.freshRepository("kite")
	epic := func(n int) string {
		list := ""
		for i := range parts {
			list += fmt.Sprintf(`{"id": "%d", "title": "part %d of %d", "run": "echo x >>~/ran; sleep 0.2; echo %d >file-%d-%d", "depends_on": [`, i, i, n, i, n, i)
			if i > 1 {
				list += fmt.Sprintf(`"%d"`, i-2)
			}
			list += "]},"
		}
		return fmt.Sprintf("echo '{\"tasks\": [%s]}' | ocaptain task plan -", strings.TrimSuffix(list, ","))
	}
	c.ocaptain("start", "--repo", repo, "--agent", "script", "--workers", "3", "--branch", "feat/x", "--detach", "--task", epic(1))
	d := c.voyages()[0]
	for n := 2; n <= epics; n++ {
		c.ocaptain("add", epic(n))
	}
	const all = epics * (parts + 1)
	for i := range 6 {
		c.until(d, "some more is done", func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n >= i*all/8 })
		if pid := c.helm(); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		c.ocaptain("needs") // starts the next
	}
	b := c.until(d, "all is done and verified", func(b fleet.Board) bool {
		_, _, n := b.CountTasks()
		return b.Phase == fleet.Complete && n == all
	})
	completed := map[string]time.Time{}
	for i := range b.Tasks {
		x := &b.Tasks[i]
		completed[x.ID] = x.CompletedAt
	}
	merges := strings.Fields(c.git(d.Workspace(), "log", "--format=%(trailers:key=Ocaptain-Task,valueonly,separator=%x20)", b.Voyage.Base+"..feat/x"))
	slices.Sort(merges)
	if len(merges) != epics*parts || len(slices.Compact(slices.Clone(merges))) != epics*parts {
		t.Errorf("merged are %q", merges)
	}
	for i := range b.Tasks {
		x := &b.Tasks[i]
		if x.Parent() != "" && x.CompletedAt.After(completed[x.Parent()]) {
			t.Errorf("epic %s was done before its part %s", x.Parent(), x.ID)
		}
		for _, id := range x.BlockedBy {
			if completed[id].After(x.ClaimedAt) {
				t.Errorf("task %s was begun before %s was done", x.ID, id)
			}
		}
	}
}
