package voyage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// pester has a ship ask whatever it knows how to ask, with any arguments. It does not wait for what there is to do.
func pester(ctx context.Context, random *rand.Rand, l *life, s *Ship) {
	ready := make(chan *wire.Conn)
	close(ready)
	all := s.methods(ready)
	ways := slices.Sorted(maps.Keys(all))
	way := ways[random.IntN(len(ways))]
	if way == proto.MethodWait {
		ended, end := context.WithCancel(ctx)
		end()
		ctx = ended
	}
	_, _ = all[way](ctx, anything(random, l, s))
}

// hostile has a worker ask helm for anything, with fields at random, at random times, beside its own work.
func hostile(a *simulated) {
	random := rand.New(rand.NewPCG(rand.Uint64(), uint64(a.number)))
	for !a.isOver() {
		_ = a.ask(func(ctx context.Context, l *life, s *Ship) error {
			for range random.IntN(20) {
				pester(ctx, random, l, s)
			}
			return nil
		})
		_ = retry.Sleep(context.Background(), time.Duration(random.IntN(100))*time.Millisecond)
	}
}

// anything is the arguments of any request. Most name a task that there is, many a claim of it; few are the worker's own, which it may do
// with as it likes.
func anything(random *rand.Rand, l *life, s *Ship) json.RawMessage {
	pick := func(some ...any) any { return some[random.IntN(len(some))] }
	t := l.some(random, func(t *tasks.State) bool { return t.Owner != s.Name || random.IntN(20) == 0 })
	if t == nil {
		t = &tasks.State{}
	}
	id := pick(t.ID, t.ID, t.ID, "", "../"+t.ID, "\x1b[2J", 7, nil)
	epoch := pick(t.Epoch, t.Epoch, t.Epoch+1, 0, -1, "1")
	raw, err := json.Marshal(map[string]any{
		"task": id, "epoch": epoch, "owner": pick("validator-0", "coordinator-0", s.Name), "ship": "validator-0", "role": "validator",
		"claim": pick(map[string]any{"task": id, "epoch": epoch}, nil, "claim"), "summary": "Approved by validator-0", "reason": "no",
		"review": pick(json.RawMessage(yes()), json.RawMessage(tasks.ReviewJSON(false, "no")), "approve", nil),
		"runner": true, // else it is started
		"ended":  pick(true, false), "said": "I am done", "protocol": proto.Version, "voyage": l.v.Dir.ID(),
		"events": []proto.Event{{Seq: random.Int64(), Kind: proto.KindAgentExited, Data: json.RawMessage(`{"final":true}`)}},
		"tasks":  pick(json.RawMessage(`{"tasks": [{"title": "another"}]}`), json.RawMessage(`{"tasks": [{"title": "a", "depends_on": ["a"]}]}`), nil),
	})
	if err != nil {
		panic(err)
	}
	return raw
}

// hostileSession is a session with only hostile workers.
func hostileSession(t testing.TB) *simulation {
	return &simulation{epics: 2, parts: 4, workers: 4, validators: 2, home: helmtest.Hub(t).Home, t: t, beside: hostile}
}

// TestHostileWorkers has every worker of a session make every request to helm: no work is merged without a validator's approval.
func TestHostileWorkers(t *testing.T) {
	t.Parallel()
	m := hostileSession(t)
	m.create()
	m.run()
	checkSimulation(t, m, true)
}

// cut is a ship's tree that cannot be reached.
type cut struct{}

func (cut) Tree(context.Context, []string, io.Reader, io.Writer) error {
	return errors.New("connection lost")
}

// TestHostilePool has every worker of a pool make every request, all at once. One of them holds a dispatch, and may do with it as it likes,
// except end it with work that it lacks: no other dispatch changes.
func TestHostilePool(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d, base := newPool(t, hub, "")
	v := openStill(t, startHelm(t, hub), d)
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = fleet.Sailing })
	for i := range 4 {
		c := tasks.Dispatch{Command: fmt.Sprint("echo ", i), Base: base, Key: fmt.Sprint(i)}
		if _, err := v.Store.Add(t.Context(), []tasks.Task{c.Task()}); err != nil {
			t.Fatal(err)
		}
	}
	for _, ship := range []string{"kite-1", "kite-9"} { // which is honest, and silent
		if _, err := v.Store.Claim(t.Context(), ship, ""); err != nil {
			t.Fatal(err)
		}
	}
	g, err := v.Store.Claim(t.Context(), "kite-8", "3")
	if err == nil {
		err = v.Store.Complete(t.Context(), tasks.Completion{Task: "3", Owner: "kite-8", Epoch: g.Epoch, Empty: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	before := v.Store.Snapshot().Tasks
	var all gosync.WaitGroup
	for _, name := range []string{"kite-1", "kite-2", "kite-3"} {
		s, _ := fakeShip(t, v, name)
		s.Remote = cut{}
		s.Change(func(is *ship.State) { is.Budgets[ship.Requests].Burst = 1e9 })
		all.Go(func() {
			l, random := &life{v: v}, rand.New(rand.NewPCG(1, rand.Uint64()))
			for range 2000 {
				pester(t.Context(), random, l, s)
			}
		})
	}
	all.Wait()
	after := v.Store.Snapshot().Tasks
	if own := after[0]; own.Status == tasks.Completed || own.Owner != "" && own.Owner != "kite-1" {
		t.Errorf("the dispatch of kite-1 became %+v", own)
	}
	if !reflect.DeepEqual(before[1:], after[1:]) {
		t.Errorf("before: %+v\nafter: %+v", before[1:], after[1:])
	}
}

// BenchmarkHostile compares how long the claims of validators and planners take beside hostile workers and beside others: the ratio of the
// 99th percentiles of the claims of all runs.
func BenchmarkHostile(b *testing.B) {
	var all [2][]time.Duration
	for b.Loop() {
		for i, beside := range []func(*simulated){nil, hostile} {
			m := hostileSession(b)
			m.beside, m.epics, m.parts = beside, 4, 20
			all[i] = append(all[i], honestClaims(m)...)
		}
	}
	var p99 [2]float64
	for i := range all {
		slices.Sort(all[i])
		p99[i] = all[i][len(all[i])*99/100].Seconds() * 1000
	}
	b.ReportMetric(p99[0], "ms-calm-p99")
	b.ReportMetric(p99[1], "ms-hostile-p99")
	b.ReportMetric(p99[1]/p99[0], "x")
}

// honestClaims runs a simulation, and returns what claims took that workers did not make.
func honestClaims(m *simulation) (all []time.Duration) {
	m.claimed = func(a *simulated, took time.Duration) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if !strings.HasPrefix(a.name, "worker") {
			all = append(all, took)
		}
	}
	m.create()
	m.run()
	return all
}
