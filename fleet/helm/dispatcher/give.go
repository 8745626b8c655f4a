package dispatcher

import (
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// Give reserves tasks as the kind decides, and has workers take up what they were given.
func (d *Dispatcher) Give() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.freeReserved(); err != nil {
		return err
	}
	if err := d.holdForsaken(); err != nil {
		return err
	}
	now := time.Now()
	var free []kind.Ship
	for _, w := range d.Workers(now) {
		if w.Free && !w.Draining && !d.isTaking(w.Name) {
			free = append(free, kind.Ship{Name: w.Name, Provider: w.Provider})
		}
	}
	if d.Kind.Closed(d.Roster.Now().Phase) != nil || d.Hinders.Check() != nil {
		return nil
	}
	for _, g := range d.Kind.Give(now, d.Store.Snapshot(), free) {
		if err := d.Hinders.OrAway(g.Task, d.As(rights.Clock).Reserve(d.Context, g.Task, g.Ship)); err != nil {
			return err
		}
	}
	for _, t := range d.Store.Snapshot().Open() {
		s := d.Ship(t.ReservedFor)
		if t.Status == tasks.InProgress {
			s = d.Ship(t.Owner)
		}
		if s == nil || !s.Reached() || t.Status == tasks.InProgress && s.KnowsOf(t) || !s.begin() {
			continue
		}
		d.Go(func() { s.takeUp(t) })
	}
	return nil
}

// freeReserved frees tasks that are reserved for workers out of reach: another worker may begin sooner.
func (d *Dispatcher) freeReserved() error {
	for _, t := range d.Store.Snapshot().Open() {
		if t.Status != tasks.Pending || t.ReservedFor == "" {
			continue
		}
		if s := d.Ship(t.ReservedFor); s != nil && (s.Reached() || s.isTaking()) {
			continue
		}
		if err := d.Hinders.OrAway(t.ID, d.As(rights.Clock).Reserve(d.Context, t.ID, "")); err != nil {
			return err
		}
	}
	return nil
}

// holdForsaken puts tasks on hold that wait for a worker that is gone or leaves, as no other worker may take them.
func (d *Dispatcher) holdForsaken() error {
	open := d.Store.Snapshot().Open() // before the ships, as no task waits for a ship that is yet to come
	drains := map[string]bool{}
	for _, f := range d.Roster.Now().Ships {
		drains[f.Name] = f.Draining
	}
	for _, t := range open {
		worker := t.Worker()
		if worker == "" || t.Status != tasks.Pending || t.OnHold {
			continue
		}
		if leaves, there := drains[worker]; there && (!leaves || t.ReservedFor != "") {
			continue
		}
		why := worker + " is gone, and it was for that worker alone: dispatch it again"
		if err := d.Hinders.OrAway(t.ID, d.As(rights.Clock).Requeue(d.Context, tasks.Requeue{Task: t.ID, Reason: why, Hold: true})); err != nil {
			return err
		}
	}
	return nil
}

// removeDrained removes workers that the captain has drained, once they hold nothing.
func (d *Dispatcher) removeDrained() {
	for _, f := range d.Roster.Now().Ships {
		if s := d.Ship(f.Name); !f.Draining || s == nil || s.isTaking() || !d.Leave(f.Name) {
			continue
		}
		d.Go(func() {
			if err := d.Fit.Remove(d.Context, f.Name, func(api.Progress) {}); err != nil && d.Context.Err() == nil {
				d.Notes.Add(fleet.Note{Ship: f.Name, Text: fmt.Sprintf("was drained, and could not be removed: %s", clean.Bound(err.Error(), clean.MaxText))})
			}
		})
	}
}
