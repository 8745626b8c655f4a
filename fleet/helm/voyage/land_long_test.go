//go:build long

package voyage

import (
	"slices"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestTogether has work checked together that is bad only together: half of it may be merged, and what is to blame goes back.
func TestTogether(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "! { test -e b && test -e c; }", 1,
		reviewed("1", "echo a >a", gate), helmtest.Task("2", "echo b >b"), helmtest.Task("3", "test ! -e b || git rm -q b; echo c >c"), inGroup("g", helmtest.Task("4", "echo d >d")), helmtest.Task("5", "test -e a || echo clash >a"))
	eventually.Holds(t, "all are in review", func() bool { return len(inReview(v.Store.Snapshot())) == 5 && v.state("1").Owner != "" })
	batched(t, v)
	s := v.ships["validator-0"]
	changes(v, func() { v.checking[s] = "2" }) // which does not keep what is approved from the branch
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
	v.endCheck(s)
	for _, id := range []string{"2", "3", "4", "5"} {
		if err := v.Captain.Decide(t.Context(), api.DecideRequest{Task: id, Work: v.state(id).HandIn.Commit, Approve: true}); err != nil {
			t.Fatal(err)
		}
	}
	openGates(t, homeOf(t, v, "validator-0"))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	if three := v.state("3"); three.Rejections != 1 {
		t.Errorf("task 3 was rejected %d times: %s", three.Rejections, three.Reason)
	}
}

// batched has the one validator go on with what is like what it had before, where that waits as long, and else take the oldest. It has 1;
// of the rest, 4 alone is in a group.
func batched(t *testing.T, v *Voyage) {
	t.Helper()
	queue := slices.DeleteFunc(inReview(v.Store.Snapshot()), func(t *tasks.State) bool { return t.ID == "1" })
	s, worker := v.ships["validator-0"], queue[0].HandIn.Owner
	four := v.state("4").HandIn.At
	approved := *queue[0]
	h := *approved.HandIn
	h.Review, approved.HandIn = &tasks.Review{By: "captain"}, &h
	for _, c := range []struct {
		begun batch
		first *tasks.State
		want  string
	}{
		{batch{worker, "g", four.Add(1)}, queue[0], "4"},
		{batch{worker, "g", four}, queue[0], "2"},
		{batch{"ship-9", "g", four.Add(1)}, queue[0], "2"},
		{batch{}, queue[0], "2"},
		{batch{}, &approved, "3"},
	} {
		s.batch = c.begun
		queue[0] = c.first
		next, by, _ := v.nextCheck(queue)
		if by != s || next.ID != c.want {
			t.Errorf("with the batch %+v, the next is %+v", c.begun, next)
		}
		v.endCheck(s)
		if c.want == "2" && (s.batch.owner != worker || s.batch.group != "") {
			t.Errorf("the batch is %+v", s.batch)
		}
	}
}
