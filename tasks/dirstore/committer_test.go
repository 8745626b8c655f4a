package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/redislog"
	"ocaptain/tasks/redislog/redistest"
)

// answer is what a store answers to a claim.
type answer struct {
	grant tasks.Grant
	err   error
}

// claimAll claims a task for each owner, and returns the answers, once all callers wait.
func claimAll(t *testing.T, h hub, ctx func(owner string) context.Context, owners ...string) map[string]chan answer {
	t.Helper()
	before, _ := h.Waiting()
	all := map[string]chan answer{}
	for _, owner := range owners {
		all[owner] = make(chan answer, 1)
		go func() {
			g, err := h.Claim(ctx(owner), owner, "")
			all[owner] <- answer{g, err}
		}()
	}
	eventually.Holds(t, "all callers wait", func() bool { n, _ := h.Waiting(); return n == before+len(owners) })
	return all
}

func owners(prefix string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(prefix, i))
	}
	return all
}

func some(n int) (all []tasks.Task) {
	for i := range n {
		all = append(all, tasks.Task{ID: fmt.Sprint(i + 1), Subject: "one of some", Status: tasks.Pending})
	}
	return all
}

// begin opens a hub whose session has n tasks.
func begin(t *testing.T, server *redistest.Server, session string, n int) hub {
	t.Helper()
	h := openHub(t, server, session, t.TempDir())
	if _, err := h.Add(t.Context(), some(n)); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestSharedTogether has callers who claim at the same time, while another hub claims, too, and some go before their turn. One request carries
// out all: each caller has a task of its own, and callers who have gone have none.
func TestSharedTogether(t *testing.T) {
	t.Parallel() // it waits for the disk
	server := redistest.Start(t)
	a := begin(t, server, "together", 60)
	defer a.Close()
	b := openHub(t, server, "together", t.TempDir())
	defer b.Close()
	end := a.Hold()
	leaving, leave := context.WithCancel(t.Context())
	stay := claimAll(t, a, func(string) context.Context { return t.Context() }, owners("stays-", 25)...)
	gone := claimAll(t, a, func(string) context.Context { return leaving }, owners("goes-", 5)...)
	more := claimAll(t, a, func(string) context.Context { return t.Context() }, owners("also-", 5)...)
	leave()
	for owner, of := range gone {
		if got := <-of; !errors.Is(got.err, context.Canceled) {
			t.Errorf("%s went, and got %v, %v", owner, got.grant, got.err)
		}
	}
	if err := b.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	has, times := map[string]string{}, map[time.Time]bool{}
	for _, owner := range owners("other-", 5) {
		g, err := b.Claim(t.Context(), owner, "")
		if err != nil {
			t.Fatal(err)
		}
		has[g.Task.ID] = owner
	}
	end()
	for _, answers := range []map[string]chan answer{stay, more} {
		for owner, of := range answers {
			got := <-of
			if got.err != nil || has[got.grant.Task.ID] != "" {
				t.Errorf("%s got task %v of %s, %v", owner, got.grant.Task, has[got.grant.Task.ID], got.err)
				continue
			}
			has[got.grant.Task.ID] = owner
		}
	}
	eventually.Holds(t, "both hubs have the same state", func() bool { return stateOf(t, a) == stateOf(t, b) })
	for _, task := range a.Snapshot().Tasks {
		if task.Owner != has[task.ID] {
			t.Errorf("task %s is of %q, not of %q", task.ID, task.Owner, has[task.ID])
		}
		if task.Owner != "" && !strings.HasPrefix(task.Owner, "other-") {
			times[task.ClaimedAt] = true // the same for all that were sent together
		}
	}
	if len(times) != 1 {
		t.Errorf("%d requests carried out 30 claims", len(times))
	}
}

// TestSharedLarge has large changes between claims: each gets its own answer.
func TestSharedLarge(t *testing.T) {
	t.Parallel() // it waits for the disk
	server := redistest.Start(t)
	a := begin(t, server, "large", 20)
	defer a.Close()
	here := func(string) context.Context { return t.Context() }
	end := a.Hold()
	claims := []map[string]chan answer{claimAll(t, a, here, owners("a-", 5)...)}
	added := make(chan error, 2)
	for i, size := range []int{4, 17} { // times 500 kB: less and more than an entry may have
		n, _ := a.Waiting()
		go func() {
			all := some(size)
			for j := range all {
				all[j].ID, all[j].Description = fmt.Sprint(1000*(i+1)+j), strings.Repeat("x", 500<<10)
			}
			_, err := a.Add(t.Context(), all)
			added <- err
		}()
		eventually.Holds(t, "it waits", func() bool { m, _ := a.Waiting(); return m == n+1 })
		claims = append(claims, claimAll(t, a, here, owners(fmt.Sprint("b-", i, "-"), 5)...))
	}
	end()
	for _, answers := range claims {
		for owner, of := range answers {
			if got := <-of; got.err != nil {
				t.Errorf("%s: %v", owner, got.err)
			}
		}
	}
	one, two := <-added, <-added
	if err := errors.Join(one, two); err == nil || one != nil && two != nil || !strings.Contains(err.Error(), "add less at a time") {
		t.Errorf("of two sets of tasks, one too large: %v, %v", one, two)
	}
	if n := len(a.Snapshot().Tasks); n != 24 {
		t.Errorf("there are %d tasks", n)
	}
}

// TestSharedClose closes a store whose callers wait: they are told so, and nothing is changed.
func TestSharedClose(t *testing.T) {
	t.Parallel() // it waits for the disk
	server := redistest.Start(t)
	a := begin(t, server, "close", 20)
	end := a.Hold()
	claims := claimAll(t, a, func(string) context.Context { return t.Context() }, owners("a-", 10)...)
	closed := make(chan error, 1)
	go func() { closed <- a.Close() }()
	for owner, of := range claims {
		if got := <-of; got.err == nil || !strings.Contains(got.err.Error(), "closed") {
			t.Errorf("%s: %v", owner, got.err)
		}
	}
	end()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := a.Claim(t.Context(), "late", ""); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after it was closed: %v", err)
	}
	a = openedHub(t, server, "close", filepath.Dir(a.journal.Path()))
	defer a.Close()
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, task := range a.Snapshot().Tasks {
		if task.Owner != "" {
			t.Errorf("task %s is of %s", task.ID, task.Owner)
		}
	}
}

// TestSharedSilent has a Redis that says nothing to a request. A caller who goes does not wait for it; the callers who stay get their tasks once
// Redis answers. What the first asked for is carried out once or not at all.
func TestSharedSilent(t *testing.T) {
	t.Parallel() // it waits for the disk
	server := redistest.Start(t)
	way := passOn(t, server)
	a := begin(t, &redistest.Server{URL: way.URL, Client: server.Client}, "silent", 20)
	defer func() { _ = a.Close() }()
	asked := func(n int) func() bool { return func() bool { _, m := a.Waiting(); return m == n } }
	for _, stay := range []int{0, 3} {
		silent := way.stop()
		end := a.Hold()
		leaving, leave := context.WithCancel(t.Context())
		gone := claimAll(t, a, func(string) context.Context { return leaving }, fmt.Sprint("goes-", stay))
		staying := claimAll(t, a, func(string) context.Context { return t.Context() }, owners("stays-", stay)...)
		end()
		eventually.Holds(t, "the request is under way", asked(stay+1))
		leave()
		for owner, of := range gone {
			if got := <-of; !errors.Is(got.err, context.Canceled) {
				t.Errorf("%s went, and got %v, %v", owner, got.grant, got.err)
			}
		}
		if stay == 0 {
			eventually.Holds(t, "the request ends", func() bool { n, _ := a.Waiting(); return n == 0 })
		}
		silent()
		for owner, of := range staying {
			got := <-of
			for errors.Is(got.err, redislog.ErrUnreachable) { // the machine was too slow
				got.grant, got.err = patient{a}.Claim(t.Context(), owner, "")
			}
			if got.err != nil || got.grant.Task.Owner != owner {
				t.Errorf("%s got %v, %v", owner, got.grant, got.err)
			}
		}
	}
	if err := again(func() error { return a.CatchUp(t.Context()) }); err != nil {
		t.Fatal(err)
	}
	claims := map[string]int{}
	for _, task := range a.Snapshot().Tasks {
		claims[task.Owner]++
	}
	for _, owner := range append(owners("stays-", 3), "goes-0", "goes-3") {
		if n := claims[owner]; n > 1 || n == 0 && strings.HasPrefix(owner, "stays") {
			t.Errorf("%s has %d tasks", owner, n)
		}
	}
}

// TestSharedLostAnswer loses the answer to a request that has made ten claims. In the second case, Redis has also lost the last of these, when
// the request is repeated. Each owner has one task in the end.
func TestSharedLostAnswer(t *testing.T) {
	t.Parallel() // it waits for the disk
	server := redistest.Start(t)
	way := passOn(t, server)
	for name, lost := range map[string]int{"the answer": 0, "and some entries": 3, "and all entries": 10} {
		t.Run(name, func(t *testing.T) {
			session := fmt.Sprint("lost-", lost)
			a := begin(t, &redistest.Server{URL: way.URL, Client: server.Client}, session, 20)
			defer a.Close()
			end := a.Hold()
			claims := claimAll(t, a, func(string) context.Context { return t.Context() }, owners("ship-", 10)...)
			happened := make(chan error, 1)
			way.loseAnswer(func() {
				var err error
				for range lost {
					_, e := server.Client.Do(context.Background(), "EVAL", `
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1][1]
return redis.call('XDEL', KEYS[1], last)`, 1, redislog.Key(session))
					err = errors.Join(err, e)
				}
				happened <- err
			})
			end()
			if err := <-happened; err != nil {
				t.Fatal(err)
			}
			for owner, of := range claims {
				if got := <-of; got.err != nil || got.grant.Task.Owner != owner || got.grant.Epoch != 1 {
					t.Errorf("%s got %v, %v", owner, got.grant, got.err)
				}
			}
			b := openHub(t, server, session, t.TempDir())
			defer b.Close()
			eventually.Holds(t, "both hubs have the same state", func() bool { return stateOf(t, a) == stateOf(t, b) })
			taken := 0
			for _, task := range b.Snapshot().Tasks {
				if task.Owner != "" {
					taken++
				}
			}
			if taken != 10 {
				t.Errorf("%d tasks are taken", taken)
			}
		})
	}
}
