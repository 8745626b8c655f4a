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

// TestCancelEpic gives an epic up with all its parts.
func TestCancelEpic(t *testing.T) {
	t.Parallel()
	v := newSession(t, startHelm(t, helmtest.Hub(t)), 1, planned(`{"tasks": [{"id": "A", "title": "a", "run": "echo a >a"},
		{"title": "b", "run": "sleep 1000", "depends_on": ["A"]}, {"title": "c", "depends_on": ["b"], "run": "echo c >c"}]}`))
	eventually.Holds(t, "a is done", func() bool { return v.state("1-1") != nil && v.done("1-1")() })
	all := tasks.CancelledWith(v.Store.Snapshot().Tasks, "1")
	if !slices.Equal(all, []string{"1", "1-3", "1-2"}) {
		t.Errorf("with it go %q", all)
	}
	if err := v.Captain.Cancel(t.Context(), api.CancelRequest{Task: "1", Tasks: all}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	if s := v.state("1"); !s.Cancelled {
		t.Errorf("%+v", s)
	}
	if s := v.state("1-1"); s.Cancelled || s.Commit == "" {
		t.Errorf("%+v", s)
	}
}
