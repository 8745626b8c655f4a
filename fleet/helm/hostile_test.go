package helm

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// pester has a ship ask whatever it knows how to ask, with any arguments. It does not wait for what there is to do.
func pester(ctx context.Context, random *rand.Rand, l *life, s *ship) {
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
		_ = a.ask(func(ctx context.Context, l *life, s *ship) error {
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
func anything(random *rand.Rand, l *life, s *ship) json.RawMessage {
	pick := func(some ...any) any { return some[random.IntN(len(some))] }
	t := l.some(random, func(t *tasks.State) bool { return t.Owner != s.name || random.IntN(20) == 0 })
	if t == nil {
		t = &tasks.State{}
	}
	id := pick(t.ID, t.ID, t.ID, "", "../"+t.ID, "\x1b[2J", 7, nil)
	epoch := pick(t.Epoch, t.Epoch, t.Epoch+1, 0, -1, "1")
	raw, err := json.Marshal(map[string]any{
		"task": id, "epoch": epoch, "owner": pick("validator-0", "coordinator-0", s.name), "ship": "validator-0", "role": "validator",
		"claim": pick(map[string]any{"task": id, "epoch": epoch}, nil, "claim"), "summary": "Approved by validator-0", "reason": "no",
		"review": pick(json.RawMessage(yes()), json.RawMessage(tasks.ReviewJSON(false, "no")), "approve", nil),
		"runner": true, // else it is started
		"ended":  pick(true, false), "said": "I am done", "protocol": proto.Version, "voyage": l.v.dir.ID(),
		"events": []proto.Event{{Seq: random.Int64(), Kind: proto.KindAgentExited, Data: json.RawMessage(`{"final":true}`)}},
		"tasks":  pick(json.RawMessage(`{"tasks": [{"title": "another"}]}`), json.RawMessage(`{"tasks": [{"title": "a", "depends_on": ["a"]}]}`), nil),
	})
	if err != nil {
		panic(err)
	}
	return raw
}

// hostileSession is a session of which every worker is hostile.
func hostileSession(t testing.TB) *simulation {
	return &simulation{epics: 2, parts: 4, workers: 4, validators: 2, home: newHub(t).Home, t: t, beside: hostile}
}

// TestHostileWorkers has every worker of a session ask helm for whatever there is: no work is merged that no validator has approved.
func TestHostileWorkers(t *testing.T) {
	t.Parallel()
	m := hostileSession(t)
	m.create()
	m.run()
	checkSimulation(t, m, true)
}

// TestHostilePool has a pool's worker that holds nothing ask for whatever there is: no dispatch changes, whatever becomes of it.
func TestHostilePool(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	d, base := newPool(t, hub)
	v := openStill(t, startHelm(t, hub), d)
	v.changeAnyway(func(f *fleet.Fleet) { f.Phase = fleet.Sailing })
	s, _ := fakeShip(t, v, "kite-2")
	s.asking.burst = 1e9
	for i := range 4 {
		c := tasks.Dispatch{Command: fmt.Sprint("echo ", i), Base: base, Key: fmt.Sprint(i)}
		if _, err := v.store.Add(t.Context(), []tasks.Task{c.Task()}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := v.store.Claim(t.Context(), "kite-1", "1"); err != nil {
		t.Fatal(err)
	}
	g, err := v.store.Claim(t.Context(), "kite-1", "2")
	if err == nil {
		err = v.store.Complete(t.Context(), tasks.Completion{Task: "2", Owner: "kite-1", Epoch: g.Epoch, Empty: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	before := v.store.Snapshot().Tasks
	l, random := &life{v: v}, rand.New(rand.NewPCG(1, rand.Uint64()))
	for range 5000 {
		pester(t.Context(), random, l, s)
	}
	if after := v.store.Snapshot().Tasks; !reflect.DeepEqual(before, after) {
		t.Errorf("before: %+v\nafter: %+v", before, after)
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
