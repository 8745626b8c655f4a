package voyage

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	gosync "sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/guard"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/clock"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/jobs"
	"ocaptain/fleet/helm/notify"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/helm/trees"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/mix"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

func TestMain(m *testing.M) { helmtest.Main(m) }

// helm has the voyages of a test, as package voyages has those of a captain.
type helm struct {
	Common
	times shifted
	ctx   context.Context
	stop  context.CancelFunc
	jobs  jobs.Group

	mu      gosync.Mutex
	voyages map[string]*Voyage
}

// startHelm starts a helm that knows no hosts but those given.
func startHelm(t testing.TB, hub fleet.Hub, hosts ...string) *helm {
	t.Helper()
	return startHelmAt(t, hub, describe.Settings{Hosts: func() ([]string, error) { return hosts, nil }})
}

func startHelmAt(t testing.TB, hub fleet.Hub, settings describe.Settings) *helm {
	t.Helper()
	h := &helm{voyages: map[string]*Voyage{}}
	bin, log := supervise.Binary{Path: helmtest.Program, Digest: "test"}, slog.New(slog.DiscardHandler)
	to, err := access.Open(hub, bin, settings, helmtest.Proof, func(r machines.Record, err error) {
		if v := h.opened(r.Voyage); v != nil {
			v.Fit.MachineTold(r.ID, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	h.Common = Common{
		Access: to, Log: log, Trees: trees.New(h.ctx, trees.Options{Log: log}, h.jobs.Go), Awake: h.times.awakeSince, Clock: func() guard.Clock { return guard.Clock{} },
		Calls:   notify.NewService(notify.Service{Home: hub.Home, Config: hub.ConfigFile(), Command: func() ([]string, error) { return nil, nil }, Began: time.Now(), Awake: h.times.awakeSince, Log: log}),
		Orphans: func() []string { return nil }, Plan: func(_ mix.Mix, add func() error) error { return add() }, Sunk: func(*Voyage) {},
	}
	h.Watch(h.ctx, h.jobs.Go)
	h.jobs.Go(func() {
		for retry.Sleep(h.ctx, time.Second) == nil {
			h.times.awakeSince(time.Now())
		}
	})
	t.Cleanup(h.Close)
	return h
}

// Close ends the work on all voyages.
func (h *helm) Close() {
	h.stop()
	h.Machines.Close()
	h.jobs.Close()
	defer h.Access.Close()
	h.mu.Lock()
	all := slices.Collect(maps.Values(h.voyages))
	h.mu.Unlock()
	for _, v := range all {
		v.Close()
	}
}

func (h *helm) opened(id string) *Voyage {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.voyages[id]
}

// forget closes a voyage, so that it can be opened again.
func (h *helm) forget(v *Voyage) {
	v.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.voyages, v.Dir.ID())
}

func openIt(t testing.TB, h *helm, d fleet.Dir) *Voyage {
	t.Helper()
	if v := h.opened(d.ID()); v != nil {
		return v
	}
	v := openStill(t, h, d)
	v.Begin()
	return v
}

// openStill opens a voyage that does nothing by itself: only the test acts.
func openStill(t testing.TB, h *helm, d fleet.Dir) *Voyage {
	t.Helper()
	v, err := Open(h.ctx, &h.Common, d)
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.voyages[d.ID()] = v
	return v
}

// sinkAfter destroys what the voyage has when the test ends.
func sinkAfter(t *testing.T, h *helm, d fleet.Dir) {
	t.Cleanup(func() {
		if err := openIt(t, h, d).Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
			t.Errorf("sink: %v", err)
		}
	})
}

// shifted is a clock for tests in which much time passes at once.
type shifted struct {
	clock.Clock
	mu    gosync.Mutex
	ahead time.Duration
}

func (c *shifted) awakeSince(now time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.AwakeSince(now.Add(c.ahead)).Add(-c.ahead)
}

// pass makes what was so much older, with the hub asleep or awake meanwhile.
func (c *shifted) pass(by time.Duration, asleep bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().Add(c.ahead)
	for at := time.Duration(0); !asleep && at < by; at += time.Second {
		c.AwakeSince(now.Add(at))
	}
	c.ahead += by
}

// is makes a condition of the voyage's phase.
func (v *Voyage) is(p fleet.Phase) func() bool {
	return when(v, func() bool { return v.Roster.Now().Phase == p })
}

// record is a ship as fleet.json has it.
func record(s *Ship) *fleet.Ship {
	is := s.Record()
	return &is
}

// rests keeps a ship from taking tasks for a while.
func (s *Ship) rests(while time.Duration) {
	s.Change(func(is *ship.State) { is.Trouble.Until = time.Now().Add(while) })
}

// completion is the request of the ship that holds a task.
func completion(t *tasks.State) proto.CompleteRequest {
	return proto.CompleteRequest{Claim: proto.Claim{Task: t.ID, Epoch: t.Epoch}}
}
