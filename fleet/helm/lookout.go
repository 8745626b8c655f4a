package helm

import (
	"context"
	"fmt"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
)

// lookout is what helm knows by itself of machines that no voyage has.
type lookout struct {
	mu   gosync.Mutex
	done chan struct{} // closed when helm has looked once
	all  []api.Orphan
}

// lookOut looks for orphans once, after all voyages are taken up. It asks the services that cost; of hosts
// it believes the records, as asking would mean to log in to each. It destroys nothing and complains of
// nothing: what cannot be asked is told to who asks for a sweep.
func (h *Helm) lookOut() {
	ctx, cancel := context.WithTimeout(h.ctx, 2*surveying)
	defer cancel()
	quiet := slices.DeleteFunc(h.configured(), func(name string) bool { return name == "hosts" })
	all, unasked, err := h.find(ctx, quiet, nil)
	if err == nil {
		var ashore []found
		ashore, err = h.onRecord(func(r machines.Record) bool { return r.Provider == "hosts" })
		all = append(all, ashore...)
	}
	if h.ctx.Err() != nil {
		return
	}
	if err != nil {
		h.log.Warn("no look for orphans", "error", err)
	}
	for _, u := range unasked {
		h.log.Info("not asked for orphans", "provider", u.Provider, "why", u.Why)
	}
	orphans := sweepable(all, nil).Orphans
	h.remember(orphans)
	close(h.orphans.done)
	if n := waiting(orphans); n > 0 {
		h.log.Warn("machines that no voyage has", "count", n)
		text := fmt.Sprintf("%s that no voyage has may cost you: see and destroy with: ocaptain sweep", countMachines(n))
		if doubt, err := Doubt(h.hub); err == nil && doubt != "" {
			text = fmt.Sprintf("%s may cost you, and no voyage is seen to have them: %s", countMachines(n), doubt)
		}
		h.tellAll(text)
	}
}

// countMachines counts them in words.
func countMachines(n int) string {
	if n == 1 {
		return "1 machine"
	}
	return fmt.Sprintf("%d machines", n)
}

// waiting counts the orphans that wait for the captain's word.
func waiting(all []api.Orphan) int {
	n := 0
	for _, o := range all {
		if !o.Doomed {
			n++
		}
	}
	return n
}

// remember keeps what was found last.
func (h *Helm) remember(all []api.Orphan) {
	h.orphans.mu.Lock()
	defer h.orphans.mu.Unlock()
	h.orphans.all = all
}

// forgetOrphan drops one that is gone.
func (h *Helm) forgetOrphan(id machines.ID) {
	h.orphans.mu.Lock()
	defer h.orphans.mu.Unlock()
	h.orphans.all = slices.DeleteFunc(slices.Clone(h.orphans.all), func(o api.Orphan) bool { return o.Provider == id.Provider && o.Name == id.Name })
}

// known returns what was found last and waits for the captain's word.
func (l *lookout) known() []api.Orphan {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []api.Orphan{}
	for _, o := range l.all {
		if !o.Doomed {
			all = append(all, o)
		}
	}
	return all
}

// tellAll tells the captain something on every voyage that is under way.
func (h *Helm) tellAll(text string) {
	h.mu.Lock()
	var all []*voyage
	for _, v := range h.voyages {
		all = append(all, v)
	}
	h.mu.Unlock()
	for _, v := range all {
		v.note(fleet.Note{At: time.Now(), Text: text})
	}
}

// unwanted are the machines without a voyage that are being destroyed.
func (h *Helm) unwanted() []api.Orphan {
	all, err := h.onRecord(func(r machines.Record) bool { return r.Unwanted })
	if err != nil {
		return nil // who asks for a sweep is told
	}
	return sweepable(all, nil).Orphans
}

// onRecord are those machines on record that no voyage has. Nobody is asked.
func (h *Helm) onRecord(which func(machines.Record) bool) ([]found, error) {
	own, err := h.owned()
	if err != nil {
		return nil, err
	}
	records, err := h.machines.All()
	if err != nil {
		return nil, err
	}
	var all []found
	for _, r := range records {
		if which(r) && !own.has(r.ID, r.Voyage) {
			all = append(all, judge(machines.Machine{ID: r.ID, Record: &r}, own, h.install))
		}
	}
	return all, nil
}
