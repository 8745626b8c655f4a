package voyage

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// Dispatch puts a command into the pool's queue. When no worker is free, one more is made, if there may be.
func (v *Voyage) Dispatch(ctx context.Context, r api.DispatchRequest) (api.Dispatched, error) {
	if err := v.mayDispatch(r); err != nil {
		return api.Dispatched{}, err
	}
	if err := v.secrets.Keep(secrets.Given{Secrets: r.Secrets, Env: r.Env}); err != nil {
		return api.Dispatched{}, err
	}
	id, err := v.addDispatch(ctx, r.Dispatch)
	if err != nil {
		return api.Dispatched{}, err
	}
	if err := v.giveSoonFree(ctx, id); err != nil {
		return api.Dispatched{}, err
	}
	if err := v.addWorkers(r); err != nil {
		v.notes.Add(fleet.Note{Task: id, Text: "no worker is made for it: " + clean.Bound(err.Error(), maxText)})
	}
	return v.dispatched(id), nil
}

// mayDispatch says what is wrong with a dispatch, or nil.
func (v *Voyage) mayDispatch(r api.DispatchRequest) error {
	if !v.info.Kind.TakesDispatches() {
		return api.Refused("%s is no pool", v.dir.ID())
	}
	if err := v.roster.Afloat(); err != nil {
		return err
	}
	if err := r.Dispatch.Check(); err != nil {
		return api.Refused("%v", err)
	}
	if b := v.spending.Budget(); b.IsReached() { // a worker would be made for nothing
		return api.Refused("pool %s has spent its budget, %s: set more with %s", v.info.Name, b, v.dir.Command("budget USD"))
	}
	if why := v.spending.Paused(time.Now()); why != "" {
		return api.Refused("pool %s is %s: go on with ocaptain resume %s", v.info.Name, why, v.dir.ID())
	}
	if from := r.Dispatch.Provider; from != "" && v.set.Providers[from] == nil {
		return api.Refused("there is no provider %s", clean.Word(from))
	}
	if err := v.mayWait(r.Dispatch.Worker, r.Dispatch.Provider); err != nil {
		return err
	}
	if err := pool.Refuse(r.Dispatch, v.workers(), r.Workers); err != nil {
		return api.Refused("pool %s: %v", v.info.Name, err)
	}
	return nil
}

// mayWait says why nothing can wait for a worker from there, nil when it can. Worker and provider are "" for any.
func (v *Voyage) mayWait(worker, from string) error {
	if worker == "" {
		return nil
	}
	switch f := v.roster.Ship(worker); {
	case f == nil:
		return api.NotFound("pool %s has no worker %s", v.info.Name, clean.Word(worker))
	case f.Draining:
		return api.Refused("%s is drained and takes no more", f.Name)
	case from != "" && f.Provider != from:
		return api.Refused("%s comes from %s, not from %s", f.Name, f.Provider, clean.Word(from))
	}
	return nil
}

// addDispatch adds the task, once for each key, and returns its id.
func (v *Voyage) addDispatch(ctx context.Context, d tasks.Dispatch) (string, error) {
	v.gifts.Lock()
	defer v.gifts.Unlock()
	for _, t := range v.store.Snapshot().Tasks {
		if t.Dispatch().Key == d.Key {
			return t.ID, nil
		}
	}
	added, err := v.as(rights.Captain).Add(ctx, []tasks.Task{d.Task()})
	if err != nil {
		return "", v.hinders.OrAway("", err)
	}
	return added[0].ID, nil
}

// aMoment is how long a dispatch waits for a worker that has just finished.
const aMoment = 3 * time.Second

// giveSoonFree gives tasks to workers, and waits a moment for one to be free that holds nothing: no other is made then.
func (v *Voyage) giveSoonFree(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, aMoment)
	defer cancel()
	for {
		if err := v.give(); err != nil {
			return err
		}
		t := v.store.Snapshot().Task(id)
		if t.ReservedFor != "" || t.Status != tasks.Pending || t.Worker() != "" || !v.soonFree() {
			return nil
		}
		if retry.Sleep(ctx, 50*time.Millisecond) != nil {
			return nil
		}
	}
}

// soonFree reports whether enough workers hold no task for the dispatches that wait. It counts workers whose agent is at work
// or idle.
func (v *Voyage) soonFree() bool {
	return reads(v, func() bool {
		var soon []kind.Ship
		for _, f := range v.roster.Now().Ships {
			s := v.ships[f.Name]
			if s == nil || f.Draining || s.reach.Conn() == nil || s.taking || s.paused(time.Now()) != "" || s.trouble.Rest(time.Now()) > 0 || v.look().Held(f.Name) != nil {
				continue
			}
			switch s.known.State.State {
			case proto.StateWorking, proto.StateIdle, proto.StateResting, proto.StateStarting:
				soon = append(soon, kind.Ship{Name: f.Name, Provider: f.Provider})
			}
		}
		return len(pool.Lacks(v.store.Snapshot(), soon)) == 0
	})
}

// addWorkers plans as many workers as the queue lacks and there may be, and has them fitted out.
func (v *Voyage) addWorkers(r api.DispatchRequest) error {
	v.gifts.Lock()
	defer v.gifts.Unlock()
	lacks := pool.Lacks(v.store.Snapshot(), v.coming())
	lacks = lacks[:max(0, min(len(lacks), r.Workers-len(v.workers())))]
	if len(lacks) == 0 {
		return nil
	}
	again, more := v.failed(lacks)
	places := map[string]int{}
	for _, from := range more {
		places[cmp.Or(from, r.Provider, v.info.Provider)]++
	}
	var failed error
	for _, from := range slices.Sorted(maps.Keys(places)) {
		failed = errors.Join(failed, v.Fit.Plan(from, places[from], "", ""))
	}
	v.Fit.AgainSoon(again)
	return failed
}

// failed returns the failed workers that can fill lacks when they are provisioned again, and where more should come from.
func (v *Voyage) failed(lacks []string) (again, more []string) {
	ships := v.roster.Now().Ships
	for _, from := range lacks {
		i := slices.IndexFunc(ships, func(f *fleet.Ship) bool {
			return f.Phase == fleet.Failed && (from == "" || from == f.Provider) && !slices.Contains(again, f.Name)
		})
		if i < 0 {
			more = append(more, from)
			continue
		}
		again = append(again, ships[i].Name)
	}
	return again, more
}

// coming lists the workers that are being made and begin work then.
func (v *Voyage) coming() []kind.Ship {
	return reads(v, func() []kind.Ship {
		var all []kind.Ship
		for _, f := range v.roster.Now().Ships {
			if v.spending.PausedShip(f.Name, time.Now()) != "" {
				continue
			}
			if s := v.ships[f.Name]; f.Phase == fleet.Planned || f.Phase == fleet.Provisioning || f.Phase == fleet.Afloat && (s == nil || s.known.StateAt.IsZero()) {
				all = append(all, kind.Ship{Name: f.Name, Provider: f.Provider})
			}
		}
		return all
	})
}

// workers lists the workers that count against the maximum. A worker that could not be provisioned does not, as helm tries it again first,
// and neither does a worker whose machine is gone.
func (v *Voyage) workers() []kind.Ship {
	return reads(v, func() []kind.Ship {
		var all []kind.Ship
		for _, f := range v.roster.Now().Ships {
			s := v.ships[f.Name]
			if gone := s != nil && s.reach.IsGone(); !gone && !f.Draining && f.Phase != fleet.Failed && f.Phase != fleet.Going {
				all = append(all, kind.Ship{Name: f.Name, Provider: f.Provider})
			}
		}
		return all
	})
}

// dispatched is how a dispatch stands.
func (v *Voyage) dispatched(id string) api.Dispatched {
	all := v.store.Snapshot()
	t := all.Task(id)
	out := api.Dispatched{Task: id, Worker: t.Owner}
	for _, s := range v.coming() {
		if from := t.Provider(); (from == "" || from == s.Provider) && (t.Worker() == "" || t.Worker() == s.Name) {
			out.Coming = append(out.Coming, s.Name)
		}
	}
	if t.ReservedFor != "" {
		out.Worker = t.ReservedFor
	}
	if out.Worker != "" {
		return out
	}
	if len(out.Coming) == 0 {
		out.Paused, out.Why = v.pausedFor(t)
	}
	for _, before := range pool.Queue(all) {
		out.Place++
		if before.ID == id {
			return out
		}
	}
	return out
}

// pausedFor lists the workers that a dispatch could go to, when each is paused, and says why the first is.
func (v *Voyage) pausedFor(t *tasks.State) (names []string, why string) {
	return reads2(v, func() ([]string, string) {
		now := time.Now()
		for _, f := range v.roster.Now().Ships {
			from := t.Provider()
			if f.Draining || t.Worker() != "" && t.Worker() != f.Name || from != "" && from != f.Provider {
				continue
			}
			is := v.spending.PausedShip(f.Name, now)
			if is == "" {
				return nil, ""
			}
			names, why = append(names, f.Name), cmp.Or(why, is)
		}
		return names, why
	})
}
