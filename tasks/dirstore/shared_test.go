package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
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
)

// hub is a hub's store of a session in Redis.
type hub struct {
	closing
	log *redislog.Log
}

func (h hub) Close() error { return errors.Join(h.closing.Close(), h.log.Close()) }

// openHub opens the store of a session for the hub with that directory.
func openHub(t testing.TB, server *redistest.Server, session, home string) hub {
	t.Helper()
	log, err := redislog.Open(redislog.Place{URL: server.URL, Session: session, Secret: "secret of " + session})
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(home, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := dirstore.OpenShared(filepath.Join(home, "tasks"), j, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Join(t.Context(), filepath.Base(home)); err != nil {
		t.Fatal(err)
	}
	return hub{closing{s, j}, log}
}

// shared makes sessions in a Redis. Two hubs open the store of each by turns.
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

func TestSharedContract(t *testing.T) { storetest.Run(t, shared(redistest.Start(t))) }

// patient asks again while Redis does not answer, as helm does.
type patient struct{ tasks.Store }

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
		return nil // the first request was carried out, and its answer was lost
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

// TestSharedRace has ships of two hubs race for the tasks of one session, while Redis is killed and started again.
func TestSharedRace(t *testing.T) {
	server := redistest.Start(t)
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
	storetest.Race(t, 600, patient{a}, patient{b})
	close(over)
	killer.Wait()
	eventually.Holds(t, "both hubs have the same state", func() bool { return stateOf(t, a) == stateOf(t, b) })
	if _, why := a.Apart(); why != nil {
		t.Error(why)
	}
}

func BenchmarkSharedClaims(b *testing.B) { storetest.BenchmarkClaims(b, shared(redistest.Start(b))) }
