// Package voyage looks after voyages: it hands out their tasks, merges the work, and has their machines made, reached and destroyed.
package voyage

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/notify"
	"ocaptain/fleet/helm/pace"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/helm/sweep"
	"ocaptain/fleet/helm/trees"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/turn"
)

// Set is all voyages of one captain, with what they share.
type Set struct {
	*access.Access
	bin      supervise.Binary
	began    time.Time
	awake    awake
	calendar calendar
	log      *slog.Logger
	ctx      context.Context // ends when helm does
	stop     context.CancelFunc

	jobs    group
	Sweeper *sweep.Sweeper
	trees   *trees.Trees
	notify  func() ([]string, error) // the command that calls the captain, as he has configured it now
	calls   *notify.Service

	setupTime time.Duration   // that a repository's setup script may take
	lateTries []time.Duration // how long to wait before each further try to take up a voyage
	paceTicks func() (<-chan time.Time, func())

	planning gosync.Mutex // held from the count of a provider's machines until a voyage has planned more of them; before every other lock

	mu      gosync.Mutex
	voyages map[string]*Voyage
	gates   map[string]turn.Turn    // by id, each held while that voyage is opened or closed; before mu
	damaged map[string]string       // why a voyage cannot be taken up, by id
	told    map[machines.ID]trouble // that the captain was told of
}

// NewSet makes a set that looks after no voyage yet. The program is what it brings aboard of ships.
func NewSet(ctx context.Context, hub fleet.Hub, program supervise.Binary, settings describe.Settings, notify func() ([]string, error), log *slog.Logger) (*Set, error) {
	h := &Set{
		bin: program, began: time.Now(), voyages: map[string]*Voyage{}, gates: map[string]turn.Turn{}, damaged: map[string]string{}, told: map[machines.ID]trouble{}, log: log,
		notify: notify, setupTime: 30 * time.Minute, lateTries: lateTries, paceTicks: pace.Ticks,
	}
	var err error
	if h.Access, err = access.Open(hub, program, settings, proof, h.machineTold); err != nil {
		return nil, err
	}
	h.calls = h.callService()
	h.ctx, h.stop = context.WithCancel(ctx)
	h.Watch(h.ctx, h.jobs.Go)
	h.Sweeper = h.newSweeper()
	h.trees = h.newTrees()
	h.jobs.Go(h.keepAwake)
	return h, nil
}

// Begin goes on with all that is on disk, beside the caller.
func (h *Set) Begin() {
	h.jobs.Go(func() {
		h.takeUp()
		if err := h.Machines.Resume(); err != nil {
			h.log.Error("machines that are to be destroyed", "error", err)
		}
		h.Sweeper.Look()
	})
	h.jobs.Go(h.callForInstall)
}

// takeUp goes on with every voyage that is on disk and not sunk. A voyage that cannot be taken up
// does not stop the others, and is tried again.
func (h *Set) takeUp() {
	dirs, err := fleet.Voyages(h.Hub.Voyages).List()
	if err != nil {
		h.log.Error("voyages cannot be listed", "error", err)
	}
	var left []fleet.Dir
	for _, d := range dirs {
		if f, err := fleet.LoadFleet(d); err == nil && f.Phase == fleet.Sunk || h.ctx.Err() != nil {
			continue // it is opened when somebody asks for it
		}
		if _, err := h.open(d); err != nil {
			left = append(left, d)
		}
	}
	if len(left) > 0 {
		h.jobs.Go(func() { h.takeUpLate(left) })
	}
}

// open takes up a voyage that is on disk.
func (h *Set) open(d fleet.Dir) (*Voyage, error) {
	v, gate := h.opened(d.ID())
	if v != nil {
		return v, nil
	}
	if err := gate.Lock(h.ctx); err != nil {
		return nil, err
	}
	defer gate.Unlock()
	if v, _ := h.opened(d.ID()); v != nil {
		return v, nil
	}
	if err := h.ctx.Err(); err != nil {
		return nil, err
	}
	v, err := openVoyage(h, d)
	if err == nil {
		v.startWork()
		v.jobs.Go(v.watchman)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.damaged[d.ID()] = err.Error()
		return nil, fmt.Errorf("voyage %s cannot be taken up: %w; its ships can be sunk all the same: ocaptain sink %s", d.ID(), err, d.ID())
	}
	delete(h.damaged, d.ID())
	h.voyages[d.ID()] = v
	return v, nil
}

// opened returns the voyage of that id if it is open, and its gate.
func (h *Set) opened(id string) (*Voyage, turn.Turn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gates[id] == nil {
		h.gates[id] = turn.New()
	}
	return h.voyages[id], h.gates[id]
}

// forget lets go of a voyage that is sunk, so that the captain may remove its directory.
func (h *Set) forget(v *Voyage) {
	_, gate := h.opened(v.dir.ID())
	if gate.Lock(h.ctx) != nil {
		return // close ends its work
	}
	defer gate.Unlock()
	sunk := v.roster.Now().Phase == fleet.Sunk
	if !sunk || !v.roster.IsSaved() {
		return
	}
	v.close()
	h.mu.Lock()
	if h.voyages[v.dir.ID()] == v {
		delete(h.voyages, v.dir.ID())
	}
	h.mu.Unlock()
}

// Voyage returns the voyage of that id, which may have come to be since helm began.
func (h *Set) Voyage(id string) (*Voyage, error) {
	d, err := fleet.Voyages(h.Hub.Voyages).Find(id)
	if err != nil {
		return nil, api.NotFound("%v", err)
	}
	return h.open(d)
}

// Close ends the work on every voyage. The ships do not notice.
func (h *Set) Close() {
	h.stop()
	h.Machines.Close()
	h.jobs.close()
	defer h.Access.Close()
	h.mu.Lock()
	gates := maps.Clone(h.gates)
	h.mu.Unlock()
	var all gosync.WaitGroup
	for id, gate := range gates {
		all.Go(func() {
			_ = gate.Lock(context.Background()) // no open begins after h.stop; this waits for an open that is under way
			defer gate.Unlock()
			if v, _ := h.opened(id); v != nil {
				v.close()
			}
		})
	}
	all.Wait()
}

// Names lists the voyages that are open, and says of others why they cannot be taken up.
func (h *Set) Names() (open []string, damaged map[string]string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.voyages)), maps.Clone(h.damaged)
}
