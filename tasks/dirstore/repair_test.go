package dirstore_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/reconcile"
	"ocaptain/tasks/redislog"
	"ocaptain/tasks/redislog/redistest"
	"ocaptain/tasks/storetest"
)

// claims returns who has which task, in words.
func claims(s tasks.Store) (all []string) {
	for _, t := range s.Snapshot().Tasks {
		all = append(all, fmt.Sprintf("%s is %s by %q, epoch %d, after %d", t.ID, t.Status, t.Owner, t.Epoch, len(t.BlockedBy)))
	}
	return all
}

// landed mends as helm does, with a branch that has the commit c1 of the task "1".
func landed(log, had []*tasks.State) (reconcile.Mend, error) {
	m, _ := reconcile.Log(log, had, reconcile.Evidence{
		Landed: []reconcile.Landed{{Task: "1", Owner: "ship-1", Epoch: 1, Commit: "c1"}}, Has: func(commit string) bool { return commit == "c1" },
	})
	return m, nil
}

// unmerged mends with a branch that has no commit.
func unmerged(log, had []*tasks.State) (reconcile.Mend, error) {
	m, _ := reconcile.Log(log, had, reconcile.Evidence{})
	return m, nil
}

// TestRepair has a Redis that was replaced by an older copy, with which another hub has gone on. A repair puts back what this hub had
// beside that, and both have the same tasks.
func TestRepair(t *testing.T) {
	t.Parallel() // it waits for the disk
	server, ctx := redistest.Start(t), t.Context()
	key := redislog.Key("old")
	a := openedHub(t, server, "old", t.TempDir())
	defer a.Close()
	if _, err := a.Join(ctx, "first", []byte(`"terms"`)); err != nil {
		t.Fatal(err)
	}
	b := openHub(t, server, "old", t.TempDir())
	if _, err := a.Add(ctx, []tasks.Task{{ID: "1", Subject: "one", Status: tasks.Pending}, {ID: "2", Subject: "two", Status: tasks.Pending}, {ID: "3", Subject: "three", Status: tasks.Pending}}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Repair(ctx, landed, true); !errors.Is(err, dirstore.ErrHealthy) {
		t.Fatalf("repair of a log that is whole: %v", err)
	}
	if err := errors.Join(b.CatchUp(ctx), b.Close()); err != nil {
		t.Fatal(err)
	}
	old, err := redis.Bytes(server.Client.Do(ctx, "DUMP", key))
	if err != nil {
		t.Fatal(err)
	}

	g, err := a.Claim(ctx, "ship-1", "1")
	err = errors.Join(err, a.Complete(ctx, tasks.Completion{Task: "1", Owner: "ship-1", Epoch: g.Epoch, Commit: "c1"}))
	if _, e := a.Add(ctx, []tasks.Task{{ID: "4", Subject: "four", Status: tasks.Pending, BlockedBy: []string{"2"}}}); err != nil || e != nil {
		t.Fatal(err, e)
	}
	if _, err := a.Claim(ctx, "ship-2", "2"); err != nil {
		t.Fatal(err)
	}
	quiet(t, server, "old", 300)
	if err := a.CatchUp(ctx); err != nil {
		t.Fatal(err)
	}
	end := a.Hold() // else it may put entries back before b has gone on
	if _, err := server.Client.Do(ctx, "RESTORE", key, 0, old, "REPLACE"); err != nil {
		t.Fatal(err)
	}
	b = openHub(t, server, "old", filepath.Dir(b.journal.Path()))
	defer func() { _ = b.Close() }()
	if _, err := b.Claim(ctx, "ship-3", "3"); err != nil {
		t.Fatal(err)
	}
	end()
	if err := a.CatchUp(ctx); !errors.Is(err, redislog.ErrLost) {
		t.Fatalf("the log is an older copy: %v", err)
	}

	m, err := a.Repair(ctx, landed, false)
	if err != nil || len(m.Add) != 1 || len(m.States) != 2 {
		t.Errorf("it would put back %+v, %v", m, err)
	}
	if err := a.CatchUp(ctx); !errors.Is(err, redislog.ErrLost) {
		t.Errorf("it was only asked: %v", err)
	}
	if _, err := a.Repair(ctx, landed, true); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "both hubs have the same state", func() bool { return stateOf(t, a) == stateOf(t, b) })
	for id, want := range map[string]tasks.State{
		"1": {Task: tasks.Task{Status: tasks.Completed, Owner: "ship-1"}, Commit: "c1", Epoch: 1},
		"2": {Task: tasks.Task{Status: tasks.InProgress, Owner: "ship-2"}, Epoch: 1},
		"3": {Task: tasks.Task{Status: tasks.InProgress, Owner: "ship-3"}, Epoch: 1},
		"4": {Task: tasks.Task{Status: tasks.Pending}},
	} {
		if s := b.Snapshot().Task(id); s.Status != want.Status || s.Owner != want.Owner || s.Commit != want.Commit || s.Epoch != want.Epoch {
			t.Errorf("task %s is %+v", id, s)
		}
	}
	if err := a.Complete(ctx, tasks.Completion{Task: "2", Owner: "ship-2", Epoch: 1, Commit: "c2"}); err != nil {
		t.Error(err)
	}
	if g, err := b.Claim(ctx, "ship-4", ""); err != nil || g.Task.ID != "4" || g.Epoch <= 1 {
		t.Errorf("the next claim is %+v, %v", g, err)
	}
	if _, err := a.Repair(ctx, landed, true); !errors.Is(err, dirstore.ErrHealthy) {
		t.Errorf("once more: %v", err)
	}
}

// quiet appends n entries to a log that change nothing, over many hours: no Redis that is killed forgets all that.
func quiet(t *testing.T, server *redistest.Server, session string, n int) {
	t.Helper()
	log, err := redislog.Open(redislog.Place{URL: server.URL, Session: session, Secret: "secret of " + session})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	at, err := log.Last(t.Context())
	for i := 0; i < n && err == nil; i++ {
		when := time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339)
		var newer []redislog.Entry
		if newer, _, err = log.Append(t.Context(), at, [][]byte{fmt.Appendf(nil, `{"at":"%s","kind":"task.alive","data":[{}]}`, when)}, false); err == nil {
			at = newer[0].Mark
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRepairEmpty has a Redis that was emptied, while no hub has a whole copy of its log. A repair begins the log again, and the repair of
// another hub goes on with that.
func TestRepairEmpty(t *testing.T) {
	t.Parallel() // it waits for the disk
	server, ctx := redistest.Start(t), t.Context()
	a := openedHub(t, server, "empty", t.TempDir())
	defer a.Close()
	if _, err := a.Join(ctx, "first", []byte(`"terms"`)); err != nil {
		t.Fatal(err)
	}
	b := openHub(t, server, "empty", t.TempDir())
	defer b.Close()
	_, err := a.Add(ctx, storetest.Graph(30, 1))
	if err = errors.Join(err, b.CatchUp(ctx)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Claim(ctx, "ship-9", ""); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.CatchUp(ctx), a.Restate(), b.Restate()); err != nil {
		t.Fatal(err)
	}
	before := claims(a)
	if _, err := server.Client.Do(ctx, "FLUSHALL"); err != nil {
		t.Fatal(err)
	}
	for _, s := range []hub{a, b} {
		if err := s.CatchUp(ctx); !errors.Is(err, redislog.ErrLost) {
			t.Errorf("the log was emptied: %v", err)
		}
		if _, err := s.Repair(ctx, unmerged, true); err != nil {
			t.Fatal(err)
		}
	}
	eventually.Holds(t, "both hubs have the same state", func() bool { return stateOf(t, a) == stateOf(t, b) })
	if string(b.Terms()) != `"terms"` {
		t.Errorf("the terms of the session are %s", b.Terms())
	}
	if after := claims(a); !slices.Equal(after, before) {
		t.Errorf("the tasks are\n%q\nand were\n%q", after, before)
	}
	if _, err := b.Claim(ctx, "ship-8", ""); err != nil {
		t.Error(err)
	}
}
