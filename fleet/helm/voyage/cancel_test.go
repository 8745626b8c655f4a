package voyage

import (
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestCancel gives up what is worked on, in review, and waits: the agents are told, nothing of it is merged, the rest goes on. Only what the
// captain saw is cancelled.
func TestCancel(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 2,
		reviewed("1", "echo x >x", gate), after(helmtest.Task("2", "echo 2 >two"), "1"), after(helmtest.Task("3", "echo 3 >three"), "2"),
		helmtest.Task("4", "touch ~/begun; sleep 1000"), helmtest.Task("5", "echo 5 >five"))
	eventually.Holds(t, "1 is reviewed", func() bool { return v.state("1").Owner == "validator-0" })
	eventually.Holds(t, "4 is worked on", func() bool { return v.state("4").Status == tasks.InProgress })
	cancel := func(id string, all ...string) error {
		return v.Captain.Cancel(t.Context(), api.CancelRequest{Task: id, Reason: "not wanted", Tasks: all})
	}
	if err := cancel("1", "1", "2"); err == nil || !strings.Contains(err.Error(), "look again") {
		t.Error(err)
	}
	if err := cancel("9"); err == nil || !strings.Contains(err.Error(), "no task 9") {
		t.Error(err)
	}
	worker := v.state("4").Owner
	for range 2 {
		if err := cancel("1", "1", "2", "3"); err != nil {
			t.Fatal(err)
		}
		if err := cancel("4", "4"); err != nil {
			t.Fatal(err)
		}
	}
	home := homeOf(t, v, worker)
	eventually.Holds(t, "its command ends", func() bool { return len(processesOf(home, "sleep 1000")) == 0 })
	eventually.Holds(t, "the rest is verified", v.is(fleet.Complete))
	for id, want := range map[string]bool{"1": true, "2": true, "3": true, "4": true, "5": false} {
		if s := v.state(id); s.Cancelled != want || s.Status != tasks.Completed || want && !strings.Contains(s.Reason, "not wanted") {
			t.Errorf("task %s: %+v", id, s)
		}
	}
	if files := git(t, v.Dir, "ls-tree", "--name-only", v.Info.Branch); files != "five" {
		t.Errorf("the branch has %q", files)
	}
	if err := cancel("5", "5"); err == nil || !strings.Contains(err.Error(), "completed already") {
		t.Error(err)
	}
}
