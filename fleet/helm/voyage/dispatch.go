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
	return v.crew().Dispatched(v.store.Snapshot(), id), nil
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
	if from := r.Dispatch.Provider; from != "" && v.common.Providers[from] == nil {
		return api.Refused("there is no provider %s", clean.Word(from))
	}
	if err := v.mayWait(r.Dispatch.Worker, r.Dispatch.Provider); err != nil {
		return err
	}
	if err := pool.Refuse(r.Dispatch, v.crew().Counted(), r.Workers); err != nil {
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
		if t.ReservedFor != "" || t.Status != tasks.Pending || t.Worker() != "" || !v.crew().SoonFree(v.store.Snapshot()) {
			return nil
		}
		if retry.Sleep(ctx, 50*time.Millisecond) != nil {
			return nil
		}
	}
}

// addWorkers plans as many workers as the queue lacks and there may be, and has them fitted out.
func (v *Voyage) addWorkers(r api.DispatchRequest) error {
	v.gifts.Lock()
	defer v.gifts.Unlock()
	crew := v.crew()
	lacks := pool.Lacks(v.store.Snapshot(), crew.Coming())
	lacks = lacks[:max(0, min(len(lacks), r.Workers-len(crew.Counted())))]
	if len(lacks) == 0 {
		return nil
	}
	again, more := crew.Again(lacks)
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

// crew is the workers as dispatches depend on them.
func (v *Voyage) crew() pool.Crew {
	return reads(v, func() (all pool.Crew) {
		now := time.Now()
		for _, f := range v.roster.Now().Ships {
			w := pool.Worker{Name: f.Name, Provider: f.Provider, Phase: f.Phase, Draining: f.Draining, Paused: v.spending.PausedShip(f.Name, now)}
			if s := v.ships[f.Name]; s != nil {
				w.Gone, w.Heard, w.Soon = s.reach.IsGone(), !s.known.StateAt.IsZero(), s.isSoonFree(now)
			}
			all = append(all, w)
		}
		return all
	})
}

// isSoonFree reports whether a ship holds nothing and its agent is at work or idle. The caller holds v.mu.
func (s *Ship) isSoonFree(now time.Time) bool {
	if s.reach.Conn() == nil || s.taking || s.trouble.Rest(now) > 0 || s.v.look().Held(s.name) != nil {
		return false
	}
	switch s.known.State.State {
	case proto.StateWorking, proto.StateIdle, proto.StateResting, proto.StateStarting:
		return true
	}
	return false
}
