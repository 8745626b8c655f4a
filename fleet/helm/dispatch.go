package helm

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// dispatch puts a command into the pool's queue. When no worker is free, one more is made, if there may be.
func (v *voyage) dispatch(ctx context.Context, r api.DispatchRequest) (api.Dispatched, error) {
	if err := v.mayDispatch(r); err != nil {
		return api.Dispatched{}, err
	}
	if err := v.keepSecrets(secrets{r.Secrets, r.Env}); err != nil {
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
		v.addNote(fleet.Note{Task: id, Text: "no worker is made for it: " + cleanText(err.Error(), maxText)})
	}
	return v.dispatched(id), nil
}

// mayDispatch says what is wrong with a dispatch, or nil.
func (v *voyage) mayDispatch(r api.DispatchRequest) error {
	if v.info.Kind != fleet.Pool {
		return api.Refused("%s is no pool", v.dir.ID())
	}
	if err := v.afloat(); err != nil {
		return err
	}
	if err := r.Dispatch.Check(); err != nil {
		return api.Refused("%v", err)
	}
	if r.Dispatch.Worker == "" {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch f := v.fleet.ShipNamed(r.Dispatch.Worker); {
	case f == nil:
		return api.NotFound("pool %s has no worker %s", v.info.Name, cleanWord(r.Dispatch.Worker))
	case f.Draining:
		return api.Refused("%s is drained and takes no more", f.Name)
	}
	return nil
}

// addDispatch adds the task, once for each key, and returns its id.
func (v *voyage) addDispatch(ctx context.Context, d tasks.Dispatch) (string, error) {
	v.gifts.Lock()
	defer v.gifts.Unlock()
	for _, t := range v.store.Snapshot().Tasks {
		if t.Dispatch().Key == d.Key {
			return t.ID, nil
		}
	}
	added, err := v.store.Add(ctx, []tasks.Task{d.Task()})
	if err != nil {
		return "", v.orRoom(err)
	}
	return added[0].ID, nil
}

// aMoment is how long a dispatch waits for a worker that has just finished.
const aMoment = 3 * time.Second

// giveSoonFree gives tasks to workers, and waits a moment for one to be free that holds nothing: no other is made then.
func (v *voyage) giveSoonFree(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, aMoment)
	defer cancel()
	for {
		if err := v.give(); err != nil {
			return err
		}
		t := v.store.Snapshot().Task(id)
		if t.ReservedFor != "" || t.Status != tasks.Pending || t.Dispatch().Worker != "" || !v.soonFree() {
			return nil
		}
		if retry.Sleep(ctx, 50*time.Millisecond) != nil {
			return nil
		}
	}
}

// soonFree reports whether no fewer workers hold nothing than dispatches wait, of those whose agent is at work or idle.
func (v *voyage) soonFree() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	n := 0
	for _, f := range v.fleet.Ships {
		s := v.ships[f.Name]
		if s == nil || f.Draining || s.conn == nil || s.taking || s.recess(time.Now()) > 0 || v.look().Held(f.Name) != nil {
			continue
		}
		switch s.known.State.State {
		case proto.StateWorking, proto.StateIdle, proto.StateResting, proto.StateStarting:
			n++
		}
	}
	return n >= pool.Lacks(v.store.Snapshot(), 0)
}

// addWorkers plans as many workers as the queue lacks and there may be, and has them fitted out.
func (v *voyage) addWorkers(r api.DispatchRequest) error {
	v.gifts.Lock()
	defer v.gifts.Unlock()
	n := min(pool.Lacks(v.store.Snapshot(), len(v.coming())), r.Workers-v.workers())
	if n <= 0 {
		return nil
	}
	again := v.failed(n)
	if n -= len(again); n > 0 {
		mix, err := v.parseMix(cmp.Or(r.Provider, v.info.Provider), n)
		if err != nil {
			return err
		}
		if err := v.planShips(mix); err != nil {
			return err
		}
	}
	v.jobs.Go(func() {
		if err := v.fitWorkers(again); err != nil && v.ctx.Err() == nil {
			v.addNote(fleet.Note{Text: cleanText(err.Error(), maxText)})
		}
	})
	return nil
}

// failed lists at most n workers that could not be fitted out.
func (v *voyage) failed(n int) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var names []string
	for _, f := range v.fleet.Ships {
		if f.Phase == fleet.Failed && len(names) < n {
			names = append(names, f.Name)
		}
	}
	return names
}

// fitWorkers fits out the workers that are planned, and once more those that could not be fitted out before.
func (v *voyage) fitWorkers(again []string) error {
	if err := v.busy.Lock(v.ctx); err != nil {
		return err
	}
	defer v.busy.Unlock()
	for _, name := range again {
		if f := v.fleet.ShipNamed(name); f != nil && f.Phase == fleet.Failed {
			if err := v.removeShip(v.ctx, name, func(api.Progress) {}, false); err != nil {
				return v.later(err)
			}
		}
	}
	return v.fitAll(v.ctx, nil)
}

// coming lists the workers that are being made.
func (v *voyage) coming() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var names []string
	for _, f := range v.fleet.Ships {
		if s := v.ships[f.Name]; f.Phase == fleet.Planned || f.Phase == fleet.Provisioning || f.Phase == fleet.Afloat && (s == nil || s.known.StateAt.IsZero()) {
			names = append(names, f.Name)
		}
	}
	return names
}

// workers counts those that there are or will be. One that could not be fitted out is tried again first.
func (v *voyage) workers() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(v.fleet.Ships), func(f *fleet.Ship) bool {
		return f.Draining || f.Phase == fleet.Failed || f.Phase == fleet.Going
	}))
}

// dispatched is how a dispatch stands.
func (v *voyage) dispatched(id string) api.Dispatched {
	all := v.store.Snapshot()
	t := all.Task(id)
	out := api.Dispatched{Task: id, Worker: t.Owner, Coming: v.coming()}
	if t.ReservedFor != "" {
		out.Worker = t.ReservedFor
	}
	if out.Worker != "" {
		return out
	}
	for _, before := range pool.Queue(all) {
		out.Place++
		if before.ID == id {
			return out
		}
	}
	return out
}

// drain lets a worker finish what it does and go. A worker that holds nothing goes at once.
func (v *voyage) drain(ship string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.fleet.ShipNamed(ship)
	switch {
	case f == nil:
		return api.NotFound("voyage %s has no %s", v.dir.ID(), cleanWord(ship))
	case !v.kind.Gives():
		return api.Refused("only workers of a pool are drained: sink %s instead", ship)
	}
	err := v.changeLocked(func(*fleet.Fleet) { f.Draining = true })
	v.giveSoon()
	return err
}
