package voyage

import (
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

func inGroup(group string, one tasks.Task) tasks.Task {
	one.Metadata["group"] = group
	return one
}

// TestStacked has a worker go on from its own work in review with what is in its group: each piece is reviewed and merged alone, after
// what it is on top of, which may come back and change meanwhile.
func TestStacked(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 2,
		inGroup("g", reviewed("1", "if test -e ~/again; then echo better >one; else touch ~/again; echo one >one; fi", gate+"; grep better one")),
		inGroup("g", after(reviewed("2", "cat one >two", "test $(git show --name-only --format= HEAD) = two"), "1")),
		after(helmtest.Task("3", "cat one >three"), "1"), inGroup("g", after(helmtest.Task("4", "cat one two >four"), "1", "2")))
	eventually.Holds(t, "the group is in review, and the rest waits", func() bool {
		return v.state("1").Owner == "validator-0" && v.state("2").InReview() && v.state("4").InReview() && v.state("3").Attempts == 0
	})
	for id, on := range map[string]string{"1": "", "2": v.state("1").HandIn.Commit, "4": v.state("2").HandIn.Commit} {
		if h := v.state(id).HandIn; h.On != on || h.Owner != v.state("1").HandIn.Owner || h.Checked != "" && id != "1" {
			t.Errorf("task %s is in review as %+v", id, h)
		}
	}
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	for name, want := range map[string]string{"one": "better", "two": "one", "three": "better", "four": "one\none"} {
		if got := git(t, v.Dir, "show", v.Info.Branch+":"+name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	log := strings.Fields(git(t, v.Dir, "log", "--reverse", "--format=%(trailers:key=Ocaptain-Task,valueonly,separator=%x20)", v.Info.Branch))
	if slices.Index(log, "1") > slices.Index(log, "2") || slices.Index(log, "2") > slices.Index(log, "4") || len(log) != 4 {
		t.Errorf("merged in the order %s", log)
	}
}
