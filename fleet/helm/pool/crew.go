package pool

import (
	"cmp"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
)

// Worker is what dispatches depend on of a worker.
type Worker struct {
	Name, Provider string
	Phase          fleet.ShipPhase
	Draining       bool
	Paused         string // why it begins nothing, "" when it may
	Gone           bool   // its machine is proven to be gone
	Heard          bool   // its agent has reported its state
	Soon           bool   // it holds nothing, and its agent works or waits
}

// Crew is the workers of a pool, in their order.
type Crew []Worker

// those lists the workers for which the function is returns true.
func (c Crew) those(is func(Worker) bool) (all []kind.Ship) {
	for _, w := range c {
		if is(w) {
			all = append(all, kind.Ship{Name: w.Name, Provider: w.Provider})
		}
	}
	return all
}

// Coming lists the workers that are being made and begin work then.
func (c Crew) Coming() []kind.Ship {
	return c.those(func(w Worker) bool {
		return w.Paused == "" && (w.Phase == fleet.Planned || w.Phase == fleet.Provisioning || w.Phase == fleet.Afloat && !w.Heard)
	})
}

// Counted lists the workers that count against the maximum. A worker that could not be provisioned does not, as helm tries it again first,
// and neither does a worker whose machine is gone.
func (c Crew) Counted() []kind.Ship {
	return c.those(func(w Worker) bool {
		return !w.Gone && !w.Draining && w.Phase != fleet.Failed && w.Phase != fleet.Going
	})
}

// SoonFree reports whether enough workers hold no task for the dispatches that wait. It counts workers whose agent is at work
// or idle.
func (c Crew) SoonFree(all tasks.Snapshot) bool {
	return len(Lacks(all, c.those(func(w Worker) bool { return w.Soon && w.Paused == "" && !w.Draining }))) == 0
}

// Again returns the failed workers that can fill lacks when they are provisioned again, and where more should come from.
func (c Crew) Again(lacks []string) (again, more []string) {
	for _, from := range lacks {
		i := slices.IndexFunc(c, func(w Worker) bool {
			return w.Phase == fleet.Failed && (from == "" || from == w.Provider) && !slices.Contains(again, w.Name)
		})
		if i < 0 {
			more = append(more, from)
			continue
		}
		again = append(again, c[i].Name)
	}
	return again, more
}

// Dispatched returns the state of a dispatch.
func (c Crew) Dispatched(all tasks.Snapshot, id string) api.Dispatched {
	t := all.Task(id)
	out := api.Dispatched{Task: id, Worker: cmp.Or(t.ReservedFor, t.Owner)}
	wants := kind.Ship{Name: t.Worker(), Provider: t.Provider()}
	for _, s := range c.Coming() {
		if may(wants, s) {
			out.Coming = append(out.Coming, s.Name)
		}
	}
	if out.Worker != "" {
		return out
	}
	if len(out.Coming) == 0 {
		out.Paused, out.Why = c.pausedFor(wants)
	}
	for _, before := range Queue(all) {
		out.Place++
		if before.ID == id {
			return out
		}
	}
	return out
}

// pausedFor lists the workers that a dispatch could go to, when each is paused, and says why the first is.
func (c Crew) pausedFor(wants kind.Ship) (names []string, why string) {
	for _, w := range c {
		if w.Draining || !may(wants, kind.Ship{Name: w.Name, Provider: w.Provider}) {
			continue
		}
		if w.Paused == "" {
			return nil, ""
		}
		names, why = append(names, w.Name), cmp.Or(why, w.Paused)
	}
	return names, why
}
