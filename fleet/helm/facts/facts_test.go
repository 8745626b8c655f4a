package facts

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// replay adds records as they would be read from a journal.
func replay(t *testing.T, s *State, all []Record) {
	t.Helper()
	for _, r := range all {
		raw, err := json.Marshal(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		s.Add(journal.Record{At: r.At, Kind: r.Kind, Data: raw})
	}
}

// lines returns the records of a state as sorted lines.
func lines(t *testing.T, s *State) []string {
	t.Helper()
	var all []string
	for _, r := range s.Records() {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(raw))
	}
	slices.Sort(all)
	return all
}

// happens returns the record of a random event.
func happens(random *rand.Rand, at time.Time, s *State) Record {
	task, ship, epoch := fmt.Sprint(random.IntN(4)), fmt.Sprint("ship-", random.IntN(3)), uint64(1+random.IntN(3))
	mark := dispatch.Mark{Task: task, Ship: ship, Epoch: epoch, Said: "done", Usage: fleet.Usage{Messages: int64(random.IntN(9))}}
	switch random.IntN(8) {
	case 0:
		return Record{Kind: KindCheckout, Data: Checkout{Task: task, Ship: ship, Epoch: epoch, Commit: "abc"}}
	case 1:
		return Record{Kind: KindCheckout, Data: Checkout{Ship: ship}}
	case 2:
		return Record{Kind: KindConflict, Data: Conflict{Task: task, Ship: ship, Paths: []string{"a"}, Count: s.Claims.Conflicts(ship) + 1}}
	case 3:
		return Record{Kind: KindFence, Data: Fence{Task: task, Ship: ship, Epoch: epoch, Why: "no news"}}
	case 5:
		return Record{Kind: KindCancel, Data: Cancel{Task: task, Tasks: []string{task}, Why: ship}}
	case 6:
		return Record{Kind: KindCancel, Data: Cancel{Task: task, Over: true}}
	case 4:
		return Record{At: at, Kind: dispatch.KindBegan, Data: mark}
	}
	return Record{At: at, Kind: dispatch.KindDone, Data: mark}
}

// Records restore the state, in an empty journal and after the records that are left in a damaged one.
func TestRecords(t *testing.T) {
	noon := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		var s State
		var written []Record
		for i := range 60 {
			r := happens(random, noon.Add(time.Duration(i)*time.Second), &s)
			written = append(written, r)
			replay(t, &s, []Record{r})
		}
		want := lines(t, &s)
		for name, before := range map[string][]Record{"empty": nil, "whole": written, "cut": written[:30]} {
			var again State
			replay(t, &again, before)
			replay(t, &again, s.Records())
			if got := lines(t, &again); name != "cut" && !slices.Equal(got, want) {
				t.Fatalf("seed %d, a journal that is %s: %q\nwant %q", seed, name, got, want)
			}
		}
	}
}

func TestForget(t *testing.T) {
	var s State
	all := map[string]*tasks.State{}
	set := func(owner string, status tasks.Status, epoch uint64) {
		all["1"] = &tasks.State{Task: tasks.Task{ID: "1", Owner: owner, Status: status}, Epoch: epoch}
	}
	there := map[string]bool{"ship-0": true}
	knows := func(when string, want ...int) {
		t.Helper()
		s.Forget(func(id string) *tasks.State { return all[id] }, there)
		if got := []int{len(s.Claims.checkouts), len(s.Claims.fences), len(s.Claims.stands), len(s.Marks)}; !slices.Equal(got, want) {
			t.Errorf("%s it knows %d checkouts, fences, stands and marks; want %d", when, got, want)
		}
	}
	set("ship-0", tasks.InProgress, 1)
	s.Claims.CheckOut(Checkout{Task: "1", Ship: "ship-0", Epoch: 1})
	s.Marks.Add(time.Time{}, dispatch.KindBegan, dispatch.Mark{Task: "1", Epoch: 1})
	knows("while it is held", 1, 0, 1, 1)

	s.Claims.AddFence(Fence{Task: "1", Ship: "ship-0", Epoch: 1, Why: "no news"})
	set("", tasks.Pending, 1)
	knows("after it was taken back", 0, 1, 1, 1)

	set("ship-9", tasks.Completed, 2)
	knows("once it is completed", 0, 1, 1, 1)

	for n := range uint64(3 * maxFences) { // in the end, the fences of the first claims are gone
		s.Claims.AddFence(Fence{Task: "1", Ship: "ship-0", Epoch: 100 + n, Why: "no news"})
	}
	set("ship-9", tasks.Completed, 2)
	knows("after many more", 0, maxFences, 1, 1)
	if _, ok := s.Claims.FenceOf("1", 100+3*maxFences-1); !ok {
		t.Error("the last fence is gone")
	}

	maps.DeleteFunc(there, func(string, bool) bool { return true })
	knows("when its ship is gone", 0, 0, 0, 1)
	delete(all, "1")
	knows("when its task is gone", 0, 0, 0, 0)
}
