// Package voyages has all voyages of a captain: it takes them up, sinks, forgets and removes them, and has what they share.
package voyages

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
	"ocaptain/fleet/helm/clock"
	"ocaptain/fleet/helm/jobs"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/helm/sweep"
	"ocaptain/fleet/helm/voyage"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/turn"
)

// Set is all voyages of one captain.
type Set struct {
	*access.Access
	bin   supervise.Binary
	began time.Time
	clock clock.Clock
	log   *slog.Logger
	ctx   context.Context // ends when helm does
	stop  context.CancelFunc

	common  voyage.Common // what all voyages share
	jobs    jobs.Group
	Sweeper *sweep.Sweeper
	notify  func() ([]string, error) // the command that calls the captain, as he has configured it now

	lateTries []time.Duration // how long to wait before each further attempt to take up a voyage

	planning gosync.Mutex // held from the count of a provider's machines until a voyage has planned more of them; before every other lock

	mu      gosync.Mutex
	voyages map[string]*voyage.Voyage
	gates   map[string]turn.Turn    // by id, each held while that voyage is opened or closed; before mu
	damaged map[string]string       // why a voyage cannot be taken up, by id
	told    map[machines.ID]trouble // what the captain was told about machines that stay
}

// open takes up a voyage that is on disk, unless it is open.
func (h *Set) open(d fleet.Dir) (*voyage.Voyage, error) {
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
	v, err := voyage.Open(h.ctx, &h.common, d)
	if err == nil {
		v.Begin()
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
func (h *Set) opened(id string) (*voyage.Voyage, turn.Turn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gates[id] == nil {
		h.gates[id] = turn.New()
	}
	return h.voyages[id], h.gates[id]
}

// named returns the voyage of that id, nil if it is not open.
func (h *Set) named(id string) *voyage.Voyage {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.voyages[id]
}

// all returns the open voyages by id.
func (h *Set) all() map[string]*voyage.Voyage {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.voyages)
}

// forget closes a voyage that is sunk, so that the captain may remove its directory.
func (h *Set) forget(v *voyage.Voyage) {
	_, gate := h.opened(v.Dir.ID())
	if gate.Lock(h.ctx) != nil {
		return // Close ends its work
	}
	defer gate.Unlock()
	if v.Roster.IsSunk() {
		h.close(v)
	}
}

// close closes a voyage. The caller holds its gate.
func (h *Set) close(v *voyage.Voyage) {
	v.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.voyages[v.Dir.ID()] == v {
		delete(h.voyages, v.Dir.ID())
	}
}

// Voyage returns the voyage of that id or name, even if it was made after helm began.
func (h *Set) Voyage(id string) (*voyage.Voyage, error) {
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
	h.jobs.Close()
	defer h.Access.Close()
	h.mu.Lock()
	gates := maps.Clone(h.gates)
	h.mu.Unlock()
	var all gosync.WaitGroup
	for id, gate := range gates {
		all.Go(func() {
			_ = gate.Lock(context.Background()) // no open begins after h.stop; this waits for an open that is under way
			defer gate.Unlock()
			if v := h.named(id); v != nil {
				v.Close()
			}
		})
	}
	all.Wait()
}

// Names lists the open voyages, and says why others cannot be taken up.
func (h *Set) Names() (open []string, damaged map[string]string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.voyages)), maps.Clone(h.damaged)
}

// tellAll tells the captain something on every open voyage.
func (h *Set) tellAll(text string) {
	for _, v := range h.all() {
		v.Notes.Tell(text)
	}
}
