//go:build long

package voyage

import (
	"fmt"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestSessionNested has a worker break down what is too large: the task is done when its parts are, and what waits for it begins then.
func TestSessionNested(t *testing.T) {
	t.Parallel()
	nested := planned(`{"tasks": [{"title": "Half", "run": "echo a >a"}, {"title": "Rest", "run": "echo b >b"}]}`)
	v := newSession(t, startHelm(t, helmtest.Hub(t)), 2, planned(fmt.Sprintf(`{"tasks": [
		{"id": "A", "title": "Too large", "run": %q}, {"title": "After it", "depends_on": ["A"], "run": "test -e a && test -e b && echo c >c"}]}`, nested)))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	for id, want := range map[string]string{"1-1": fleet.Coordinator, "1-1-1": "worker-", "1-1-2": "worker-", "1-2": "worker-"} {
		if s := v.state(id); !strings.HasPrefix(s.Owner, want) || s.Status != tasks.Completed {
			t.Errorf("%s is %s by %s", id, s.Status, s.Owner)
		}
	}
}

// TestSessionUnplannedProse has a planner hand in sentences.
func TestSessionUnplannedProse(t *testing.T) { unplanned(t, "First we make a schema, then the rest.") }
