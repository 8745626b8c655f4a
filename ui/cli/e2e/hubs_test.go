package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/tasks/redislog/redistest"
)

// hubs are the captains of a session in a Redis, each with a helm and ships of its own, and the repository where all bring their work.
type hubs struct {
	*testing.T
	redis   *redistest.Server
	shared  string // the bare repository
	begins  *captain
	joins   *captain
	session fleet.Dir // of begins
	joined  fleet.Dir // of joins
}

// newHubs begins a session with an epic, and has a second captain join it. flags are further flags of both commands.
func newHubs(t *testing.T, epic string, flags ...string) *hubs {
	t.Helper()
	h := &hubs{T: t, redis: redistest.Start(t), begins: newCaptain(t)}
	repo := h.begins.freshRepository("kite")
	h.shared = filepath.Join(t.TempDir(), "kite.git")
	h.begins.git(repo, "clone", "-q", "--bare", repo, h.shared)
	h.begins.ocaptain(append([]string{"start", "--repo", "file://" + h.shared, "--redis", h.redis.URL, "--agent", "script", "--branch", "feat/x", "--detach", "--task", epic}, flags...)...)
	h.session = h.begins.voyages()[0]
	var opens fleet.Admission
	if err := fleet.Load(h.session.Admission(), &opens); err != nil {
		t.Fatal(err)
	}
	h.joins = newCaptain(t, "OCAPTAIN_SESSION_SECRET="+opens.Secret)
	for _, c := range []*captain{h.begins, h.joins} {
		c.scan.add(newSecret("OCAPTAIN_SESSION_SECRET", opens.Secret, false))
	}
	h.joins.ocaptain(append([]string{"join", h.redis.URL, h.session.ID(), "--agent", "script", "--detach"}, flags...)...)
	h.joined = h.joins.voyages()[0]
	return h
}

// merged returns how often each task is merged on the shared branch.
func (h *hubs) merged() map[string]int {
	h.Helper()
	all := map[string]int{}
	for id := range strings.FieldsSeq(h.begins.git(h.shared, "log", "--format=%(trailers:key=Ocaptain-Task,valueonly)", "main..feat/x")) {
		all[id]++
	}
	return all
}

// done waits until all n tasks are done and verified on both hubs, and makes sure that the shared branch has the work on each once, after that
// on its blockers.
func (h *hubs) done(n int) fleet.Board {
	h.Helper()
	b := h.begins.allDone(h.session, n)
	other := h.joins.allDone(h.joined, n)
	if !slices.EqualFunc(b.Tasks, other.Tasks, func(a, b tasks.State) bool { return a.ID == b.ID && a.Owner == b.Owner && a.Commit == b.Commit }) {
		h.Errorf("the boards differ:\n%v\n%v", b.Tasks, other.Tasks)
	}
	merged := h.merged()
	order := strings.Fields(h.begins.git(h.shared, "log", "--reverse", "--topo-order", "--format=%(trailers:key=Ocaptain-Task,valueonly)", "main..feat/x"))
	for _, t := range b.Tasks {
		work := t.Commit != ""
		if got := merged[t.ID]; work && got != 1 || !work && got != 0 {
			h.Errorf("task %s of %s is merged %d times", t.ID, t.Owner, got)
		}
		for _, id := range t.BlockedBy {
			if work && slices.Index(order, id) > slices.Index(order, t.ID) {
				h.Errorf("task %s is merged before task %s", t.ID, id)
			}
		}
		if work && !t.Approved() && t.HandIn != nil && (t.HandIn.Review == nil || !t.HandIn.Review.Approved) {
			h.Errorf("task %s is merged without a review", t.ID)
		}
	}
	return b
}

// TestHubs has two hubs take part in a session: both show the same tasks, ships of both claim them, and their work comes to the branch of the
// shared repository, each task once.
func TestHubs(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 8 {
		list = append(list, fmt.Sprintf(`{"id": "%d", "title": "task %[1]d", "run": "sleep 1; echo %[1]d >f%[1]d"}`, i))
	}
	list = append(list, `{"title": "last", "run": "ls f0 f1 f2 f3 f4 f5 f6 f7", "depends_on": ["0","1","2","3","4","5","6","7"]}`)
	h := newHubs(t, planOf(strings.Join(list, ", ")), "--workers", "1", "--validators", "0")
	b := h.done(10)
	by := map[string]int{}
	for _, t := range b.Tasks {
		by[t.Owner]++
	}
	if by["worker-0"] == 0 || by["worker-2-0"] == 0 {
		t.Errorf("a hub has done nothing: %v", by)
	}
	h.joins.ocaptain("add", "--voyage", h.joined.ID(), planOf(`{"title": "more", "run": "echo more >more"}`))
	h.done(12)
}
