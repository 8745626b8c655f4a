package helm

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestTogether has work checked together that is bad only together: half of it may be merged, and what is to blame goes back.
func TestTogether(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, newHub(t)), "! { test -e b && test -e c; }", 1,
		reviewed("1", "echo a >a", gate), task("2", "echo b >b"), task("3", "test ! -e b || git rm -q b; echo c >c"), task("4", "echo d >d"), task("5", "test -e a || echo clash >a"))
	eventually.Holds(t, "all are in review", func() bool { return len(inReview(v.store.Snapshot())) == 5 && v.state("1").Owner != "" })
	together := func(ids ...string) (fine []string) {
		var all []*landing
		for _, id := range ids {
			s := *v.state(id)
			h := *s.HandIn
			h.Review, s.HandIn = &tasks.Review{By: "captain"}, &h
			all = append(all, &landing{task: &s, order: v.approved(&s)})
		}
		all, err := v.checkTogether(all)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			fine = append(fine, l.task.ID)
		}
		return fine
	}
	for _, c := range []struct{ all, want []string }{
		{[]string{"1", "2", "4"}, []string{"1", "2", "4"}},
		{[]string{"1", "2", "3", "4"}, []string{"1", "2"}},
		{[]string{"2", "3"}, []string{"2"}},
		{[]string{"1", "4", "5", "2"}, []string{"1", "4"}},
		{[]string{"5", "1"}, []string{"5"}},
	} {
		if got := together(c.all...); len(got) != len(c.want) || got[len(got)-1] != c.want[len(got)-1] {
			t.Errorf("%s together: %s, want %s", c.all, got, c.want)
		}
	}
	for _, id := range []string{"2", "3", "4", "5"} {
		if err := v.decide(t.Context(), api.DecideRequest{Task: id, Work: v.state(id).HandIn.Commit, Approve: true}); err != nil {
			t.Fatal(err)
		}
	}
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	if s := v.state("3"); s.Rejections != 1 {
		t.Errorf("task 3 was rejected %d times: %s", s.Rejections, s.Reason)
	}
}
