package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/redislog"
	"ocaptain/tasks/redislog/redistest"
	"ocaptain/tasks/storetest"

	"github.com/gomodule/redigo/redis"
)

// hub is one hub's store of a session that hubs share in Redis.
type hub struct {
	closing
	log *redislog.Log
}

func (h hub) Close() error { return errors.Join(h.closing.Close(), h.log.Close()) }

// openHub opens a hub's store in the directory home and makes the hub join the session.
func openHub(t testing.TB, server *redistest.Server, session, home string) hub {
	t.Helper()
	h := openedHub(t, server, session, home)
	if _, err := h.Join(t.Context(), filepath.Base(home), nil); err != nil {
		t.Fatal(err)
	}
	return h
}

// openedHub is openHub for a hub that has already joined.
func openedHub(t testing.TB, server *redistest.Server, session, home string) hub {
	t.Helper()
	log, err := redislog.Open(redislog.Place{URL: server.URL, Session: session, Secret: "secret of " + session})
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(home, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := dirstore.OpenShared(filepath.Join(home, "tasks"), j, nil, log, 0)
	if err != nil {
		t.Fatal(err)
	}
	return hub{closing{s, j}, log}
}

// shared makes sessions in a Redis. Each Opener opens the stores of two hubs in turn.
func shared(server *redistest.Server) storetest.Fresh {
	sessions := 0
	return func(t testing.TB) storetest.Opener {
		sessions++
		session, homes := fmt.Sprint("session-", sessions), [2]string{t.TempDir(), t.TempDir()}
		return func(t testing.TB) tasks.Store {
			homes[0], homes[1] = homes[1], homes[0]
			return openHub(t, server, session, homes[0])
		}
	}
}

func TestSharedContract(t *testing.T) {
	t.Parallel() // it waits for the disk
	storetest.Run(t, raceTasks, shared(redistest.Start(t)))
}

// patient is a store that repeats a request until Redis answers, as helm does.
type patient struct{ tasks.Store }

func (p patient) Add(ctx context.Context, all []tasks.Task) (added []tasks.Task, err error) {
	err = again(func() error { added, err = p.Store.Add(ctx, all); return err })
	return added, err
}

func (p patient) Claim(ctx context.Context, owner, id string) (g tasks.Grant, err error) {
	err = again(func() error { g, err = p.Store.Claim(ctx, owner, id); return err })
	return g, err
}

func (p patient) Complete(ctx context.Context, c tasks.Completion) error {
	return again(func() error { return p.Store.Complete(ctx, c) })
}

func (p patient) Requeue(ctx context.Context, r tasks.Requeue) error {
	lost := false
	err := again(func() error {
		err := p.Store.Requeue(ctx, r)
		lost = lost || errors.Is(err, redislog.ErrUnreachable)
		return err
	})
	if no, ok := errors.AsType[*tasks.Refusal](err); ok && lost && no.Why == tasks.Stale && p.Snapshot().Task(r.Task).Status == tasks.Pending {
		return nil // the first request succeeded, but its answer was lost
	}
	return err
}

func again(do func() error) error {
	for {
		if err := do(); !errors.Is(err, redislog.ErrUnreachable) {
			return err
		}
		<-eventually.Later(5 * time.Millisecond)
	}
}

// TestSharedRace lets ships of two hubs race for the tasks of one session, while Redis is killed and started again.
func TestSharedRace(t *testing.T) {
	t.Parallel()                                        // it waits for the disk
	server := redistest.Start(t, "--appendfsync", "no") // by default it forgets, when killed, what it could not write to a slow disk
	a, b := openHub(t, server, "race", t.TempDir()), openHub(t, server, "race", t.TempDir())
	defer b.Close()
	defer a.Close()
	over := make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() {
		for random := rand.New(rand.NewPCG(1, 1)); ; {
			select {
			case <-over:
				return
			case <-eventually.Later(time.Duration(random.IntN(400)) * time.Millisecond):
				server.Kill()
				server.Run(t)
			}
		}
	})
	storetest.Race(t, raceTasks, patient{a}, patient{b})
	close(over)
	killer.Wait()
	eventually.Holds(t, "both hubs have the same state", func() bool { return stateOf(t, a) == stateOf(t, b) })
	if _, why := a.Apart(); why != nil {
		t.Error(why)
	}
}

// TestSharedPutBack lets Redis lose entries. A hub that has copies puts them back, and another hub then finds all of them. It puts
// nothing back once other hubs have written new entries instead.
func TestSharedPutBack(t *testing.T) {
	t.Parallel() // it waits for the disk
	server := redistest.Start(t)
	key := redislog.Key("lossy")
	a := openHub(t, server, "lossy", t.TempDir())
	defer func() { _ = a.Close() }()
	if _, err := a.Add(t.Context(), storetest.Graph(20, 1)); err != nil {
		t.Fatal(err)
	}
	claim := func(owner string) error {
		_, err := a.Claim(t.Context(), owner, "")
		return err
	}
	stranger := func(command string, args ...any) error {
		_, err := server.Client.Do(t.Context(), command, args...)
		return err
	}
	for i, lose := range []func() error{
		func() error { return stranger("FLUSHALL") },
		func() error { return stranger("XTRIM", key, "MAXLEN", 0) },
		func() error { return stranger("XDEL", key, "3-0", "4-0", "5-0") },
	} {
		if err := errors.Join(lose(), claim(fmt.Sprint("ship-", i))); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	b := openHub(t, server, "lossy", t.TempDir())
	defer func() { _ = b.Close() }()
	eventually.Holds(t, "both hubs have the same state", func() bool { return stateOf(t, a) == stateOf(t, b) })

	// While b is closed, a claims tasks. Then an older copy replaces the data of Redis, and a new hub continues from
	// that.
	if err := errors.Join(b.Close(), claim("ship-9")); err != nil {
		t.Fatal(err)
	}
	home := filepath.Dir(a.journal.Path())
	if err := errors.Join(a.Close(), stranger("XDEL", key, lastOf(t, server, key))); err != nil {
		t.Fatal(err)
	}
	b = openHub(t, server, "lossy", filepath.Dir(b.journal.Path()))
	if _, err := b.Claim(t.Context(), "ship-8", ""); err != nil {
		t.Fatal(err)
	}
	a = openedHub(t, server, "lossy", home)
	if err := claim("ship-7"); err != nil || a.Forgot() != 1 {
		t.Errorf("a hub with another past claims: %v, without %d entries", err, a.Forgot())
	}
	eventually.Holds(t, "both hubs have the same state", func() bool { return stateOf(t, a) == stateOf(t, b) })
	for _, task := range a.Snapshot().Tasks {
		if task.Owner == "ship-9" || task.Owner == "ship-7" && task.Epoch < 2 {
			t.Errorf("%s has task %s in epoch %d", task.Owner, task.ID, task.Epoch)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = openedHub(t, server, "lossy", home)
	if _, err := a.Add(t.Context(), []tasks.Task{{Subject: "one more", Status: tasks.Pending}}); err != nil {
		t.Errorf("after it was closed: %v", err)
	}
	eventually.Holds(t, "both hubs still have the same state", func() bool { return stateOf(t, a) == stateOf(t, b) })

	// Another session of that name takes the place of all.
	if err := errors.Join(b.Close(), a.Close(), stranger("FLUSHALL")); err != nil {
		t.Fatal(err)
	}
	b = openHub(t, server, "lossy", t.TempDir())
	a = openedHub(t, server, "lossy", home)
	if err := claim("ship-5"); !errors.Is(err, redislog.ErrLost) {
		t.Errorf("a hub with nothing in common claims: %v", err)
	}
	if _, why := a.Apart(); !errors.Is(why, redislog.ErrLost) {
		t.Errorf("it is told %v", why)
	}
}

// TestSharedHubs has two hubs with numbers of their own. The log says which hub claims and reviews, and that both are there.
func TestSharedHubs(t *testing.T) {
	t.Parallel() // it waits for the disk
	server, ctx := redistest.Start(t), t.Context()
	a := openHub(t, server, "hubs", t.TempDir())
	defer a.Close()
	b := openHub(t, server, "hubs", t.TempDir())
	defer b.Close()
	if _, err := a.Add(ctx, []tasks.Task{{ID: "1", Subject: "one", Status: tasks.Pending}, {ID: "2", Subject: "two", Status: tasks.Pending}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Join(ctx, "late", []byte("{}")); err == nil {
		t.Error("a hub that joins says terms")
	}
	handIn := func(s hub, owner, task string) tasks.Completion {
		t.Helper()
		g, err := s.Claim(ctx, owner, task)
		done := tasks.Completion{Task: task, Owner: owner, Epoch: g.Epoch, Commit: "c" + task}
		if err = errors.Join(err, s.HandIn(ctx, done, "")); err != nil {
			t.Fatal(err)
		}
		return done
	}
	state := func(s hub, task string) *tasks.State { return s.Snapshot().Task(task) }
	handIn(a, "worker-0", "1")
	handIn(b, "worker-2-0", "2")
	if one, two := state(b, "1"), state(b, "2"); one.Hub != 0 || one.HandIn.Hub != 0 || two.Hub != 1 || two.HandIn.Hub != 1 || two.HandIn.Taken {
		t.Errorf("task 1 is of hub %d, task 2 of hub %d", one.Hub, two.Hub)
	}

	// One of them takes the review; the other gets it only when the first is gone. What was checked before counts no more.
	if err := errors.Join(a.TakeReview(ctx, "2", "c2", false), a.TakeReview(ctx, "2", "c2", false), a.Checked(ctx, "2", "c2", "together", true)); err != nil {
		t.Fatal(err)
	}
	for what, no := range map[string]error{"taken": b.TakeReview(ctx, "2", "c2", false), "another": b.TakeReview(ctx, "2", "c1", false), "none": b.TakeReview(ctx, "3", "c3", false)} {
		if _, refused := errors.AsType[*tasks.Refusal](no); !refused {
			t.Errorf("%s: %v", what, no)
		}
	}
	if err := b.TakeReview(ctx, "2", "c2", true); err != nil {
		t.Fatal(err)
	}
	if h := state(b, "2").HandIn; !h.Taken || h.By != 1 || h.Checked != "" || h.Hub != 1 {
		t.Errorf("%+v", h)
	}
	back := tasks.Requeue{Task: "2", Reason: "mend it", Back: "c2"}
	if err := a.Requeue(ctx, back); err != nil {
		t.Fatal(err)
	}
	if two := state(a, "2"); two.Hub != 1 || two.HandIn != nil {
		t.Errorf("after its work went back, task 2 is of hub %d", two.Hub)
	}

	before := a.Heard()
	if err := errors.Join(b.Alive(ctx), b.Alive(ctx), a.Alive(ctx)); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "both have heard both", func() bool {
		return slices.Equal(a.Heard(), []uint64{before[0] + 1, before[1] + 2}) && slices.Equal(a.Heard(), b.Heard())
	})
	eventually.Holds(t, "both hubs have the same state", func() bool { return stateOf(t, a) == stateOf(t, b) })
}

// lastOf returns the id of the last entry of a log.
func lastOf(t *testing.T, server *redistest.Server, key string) string {
	t.Helper()
	id, err := redis.String(server.Client.Do(t.Context(), "EVAL", "return redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1][1]", 1, key))
	if err != nil {
		t.Fatal(err)
	}
	return id
}
