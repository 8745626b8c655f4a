package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// testOneWinner lets many owners claim the same task at the same moment.
func testOneWinner(t *testing.T, fresh Fresh) {
	const owners, rounds = 32, 10
	s := open(t, fresh)
	for round := range rounds {
		id := fmt.Sprint(round + 1)
		add(t, s, task(id))
		var wins atomic.Int32
		var group sync.WaitGroup
		start := make(chan struct{})
		for i := range owners {
			group.Go(func() {
				<-start
				owner := fmt.Sprint("ship-", i)
				if i%2 == 0 {
					raceFor(t, s, id, owner)
				}
				g, err := s.Claim(t.Context(), owner, id)
				if err == nil && g.Task.ID == id {
					wins.Add(1)
				} else if no, ok := errors.AsType[*tasks.Refusal](err); !ok || no.Why != tasks.Taken {
					t.Errorf("loser got %v", err)
				}
			})
		}
		close(start)
		group.Wait()
		if n := wins.Load(); n != 1 {
			t.Fatalf("task %s was given to %d owners", id, n)
		}
	}
}

// raceFor reserves a task for owner while others reserve and claim it. In the end it is claimed or reserved.
func raceFor(t *testing.T, s tasks.Store, id, owner string) {
	err := s.Reserve(t.Context(), id, owner)
	if no, ok := errors.AsType[*tasks.Refusal](err); err != nil && (!ok || no.Why != tasks.Taken) {
		t.Errorf("reserve %s got %v", id, err)
	}
	if state := s.Snapshot().Task(id); state.Owner == "" && state.ReservedFor == "" || state.Owner != "" && state.ReservedFor != "" {
		t.Errorf("after it was reserved task %s is owned by %q and reserved for %q", id, state.Owner, state.ReservedFor)
	}
}

const racers = 64

// Race lets many claimants work through a graph of size tasks while some of them die. A reaper requeues
// the claims of the dead, sometimes while they still complete. Every task must be executed by
// exactly one accepted claim, after all its blockers. Each claimant uses one of the stores, which must all show the same tasks.
func Race(t *testing.T, size int, stores ...tasks.Store) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	all := Graph(size, seed)
	add(t, stores[0], all...)
	r := &race{t: t, accepted: map[string]int{}}
	ctx := eventually.Context(t)
	var group sync.WaitGroup
	for i := range racers {
		c := claimant{r, stores[i%len(stores)]}
		group.Go(func() { c.work(ctx, fmt.Sprint("ship-", i), rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	group.Wait()
	if ctx.Err() != nil {
		t.Fatal("the race did not end")
	}
	for _, task := range all {
		if n := r.accepted[task.ID]; n != 1 {
			t.Errorf("task %s had %d accepted completions", task.ID, n)
		}
		events, err := stores[0].History(ctx, task.ID)
		if err != nil {
			t.Fatal(err)
		}
		r.checkHistory(task.ID, events)
	}
	t.Logf("%d deaths, %d late completions refused", r.deaths.Load(), r.refused.Load())
	if r.deaths.Load() == 0 || r.refused.Load() == 0 {
		t.Error("nobody died: the race proves nothing")
	}
}

type race struct {
	t       *testing.T
	deaths  atomic.Int32
	refused atomic.Int32

	mu       sync.Mutex
	accepted map[string]int
}

// claimant is an owner that races for tasks, and its store.
type claimant struct {
	*race
	store tasks.Store
}

// work works as one ship until every task is completed.
func (r claimant) work(ctx context.Context, owner string, random *rand.Rand) {
	watch := r.store.Watch(ctx)
	for life := 0; ctx.Err() == nil; {
		name := fmt.Sprintf("%s-%d", owner, life)
		g, err := r.store.Claim(ctx, name, "")
		if no, ok := errors.AsType[*tasks.Refusal](err); ok && no.Why == tasks.NothingReady {
			if !r.wait(ctx, watch) {
				return
			}
			continue
		}
		if err != nil {
			r.t.Errorf("%s: %v", name, err)
			return
		}
		if random.IntN(8) == 0 { // pretend that the answer was lost
			again, err := r.store.Claim(ctx, name, "")
			if err != nil || again.Task.ID != g.Task.ID || again.Epoch != g.Epoch {
				r.t.Errorf("asking again gave %v, %v; it was %v", again, err, g)
			}
		}
		r.ready(g)
		if random.IntN(10) == 0 {
			r.die(ctx, g, random)
			life++
			continue
		}
		r.finish(ctx, g)
		if random.IntN(8) == 0 { // pretend that this answer was lost too
			if err := r.store.Complete(ctx, done(g, name)); err != nil {
				r.t.Errorf("completing again: %v", err)
			}
		}
	}
}

// wait returns true when some task may be ready, and false when all tasks are completed.
func (r claimant) wait(ctx context.Context, watch <-chan tasks.Snapshot) bool {
	select {
	case snapshot := <-watch:
		for _, t := range snapshot.Tasks {
			if t.Status != tasks.Completed {
				return true
			}
		}
	case <-ctx.Done():
	}
	return false
}

// ready checks that all blockers of a granted task were completed first.
func (r claimant) ready(g tasks.Grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	snapshot := r.store.Snapshot()
	for _, id := range g.Task.BlockedBy {
		if snapshot.Task(id).Status != tasks.Completed {
			r.t.Errorf("task %s was given away before %s was completed", g.Task.ID, id)
		}
	}
}

func (r claimant) finish(ctx context.Context, g tasks.Grant) {
	if err := r.store.Complete(ctx, done(g, g.Task.Owner)); err != nil {
		r.t.Errorf("complete %s: %v", g.Task.ID, err)
		return
	}
	r.accept(g)
}

func (r *race) accept(g tasks.Grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accepted[g.Task.ID]++
}

// die ends a claimant in the middle of its task. The reaper races with the dead claimant's
// completion, or the completion comes later. In the end all its reservations are freed.
func (r claimant) die(ctx context.Context, g tasks.Grant, random *rand.Rand) {
	r.deaths.Add(1)
	defer r.free(ctx, g.Task.Owner)
	reap := func() error {
		return r.store.Requeue(ctx, tasks.Requeue{Task: g.Task.ID, Epoch: g.Epoch, Reason: "died"})
	}
	if random.IntN(2) == 0 {
		if err := reap(); err != nil {
			r.t.Errorf("reap %s: %v", g.Task.ID, err)
		}
		if err := r.store.Complete(ctx, done(g, "late")); err == nil {
			r.t.Errorf("task %s: a reaped claim was completed", g.Task.ID)
		}
		r.refused.Add(1)
		return
	}
	reaped := make(chan error)
	go func() { reaped <- reap() }()
	completed := r.store.Complete(ctx, done(g, g.Task.Owner))
	switch err := <-reaped; {
	case (completed == nil) == (err == nil):
		r.t.Errorf("task %s: completion got %v and its reaper %v", g.Task.ID, completed, err)
	case completed == nil:
		r.accept(g)
	default:
		r.refused.Add(1)
	}
}

// free ends the reservations of a dead owner. Other claimants may take the tasks of a group as soon
// as its first task is free.
func (r claimant) free(ctx context.Context, owner string) {
	for _, t := range r.store.Snapshot().Tasks {
		if t.ReservedFor != owner {
			continue
		}
		err := r.store.Requeue(ctx, tasks.Requeue{Task: t.ID, Owner: owner})
		if no, ok := errors.AsType[*tasks.Refusal](err); err != nil && (!ok || no.Why != tasks.Stale && no.Why != tasks.Done) {
			r.t.Errorf("free %s: %v", t.ID, err)
		}
	}
}

// checkHistory checks the order of claims, requeues and completions.
func (r *race) checkHistory(id string, events []tasks.Event) {
	var epoch uint64
	holder := ""
	for i, e := range events {
		switch e.Kind {
		case "claimed":
			if holder != "" || e.Epoch <= epoch {
				r.t.Errorf("task %s: claim %+v while %q held epoch %d", id, e, holder, epoch)
			}
			holder, epoch = e.Owner, e.Epoch
		case "requeued", "completed":
			last := i == len(events)-1
			if e.Owner != holder || e.Epoch != epoch || (e.Kind == "completed") != last {
				r.t.Errorf("task %s: %+v while %q held epoch %d", id, e, holder, epoch)
			}
			holder = ""
		}
	}
	if events[len(events)-1].Kind != "completed" {
		r.t.Errorf("task %s ended as %+v", id, events[len(events)-1])
	}
}

// Graph makes n tasks that wait for one another at random, some of them in groups.
func Graph(n int, seed uint64) []tasks.Task {
	random := rand.New(rand.NewPCG(seed, seed))
	all := make([]tasks.Task, n)
	for i := range all {
		all[i] = with(task(fmt.Sprint(i+1)), "priority", float64(random.IntN(5)))
		all[i].Description = "what to do and how to see that it is done"
		for range min(i, random.IntN(4)) {
			// Blockers close by make the graph deep as well as wide.
			all[i].BlockedBy = append(all[i].BlockedBy, fmt.Sprint(i-random.IntN(min(i, 200))))
		}
		if random.IntN(20) == 0 {
			all[i] = grouped(fmt.Sprint("g", i/40), all[i])
		}
	}
	return all
}
