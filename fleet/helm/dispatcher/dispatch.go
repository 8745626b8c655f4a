package dispatcher

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
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// Dispatch puts a command into the pool's queue. If no worker is free, another is made, as far as the request allows.
func (d *Dispatcher) Dispatch(ctx context.Context, r api.DispatchRequest) (api.Dispatched, error) {
	if err := d.check(r); err != nil {
		return api.Dispatched{}, err
	}
	if err := d.Secrets.Keep(secrets.Given{Secrets: r.Secrets, Env: r.Env}); err != nil {
		return api.Dispatched{}, err
	}
	id, err := d.add(ctx, r.Dispatch)
	if err != nil {
		return api.Dispatched{}, err
	}
	if err := d.giveWhenFree(ctx, id); err != nil {
		return api.Dispatched{}, err
	}
	if err := d.addWorkers(r); err != nil {
		d.Notes.Add(fleet.Note{Task: id, Text: "no worker is made for it: " + clean.Bound(err.Error(), clean.MaxText)})
	}
	return d.crew().Dispatched(d.Store.Snapshot(), id), nil
}

// check returns why a dispatch is refused, nil if it is not.
func (d *Dispatcher) check(r api.DispatchRequest) error {
	if !d.Info.Kind.TakesDispatches() {
		return api.Refused("%s is no pool", d.Dir.ID())
	}
	if err := d.Roster.Afloat(); err != nil {
		return err
	}
	if err := r.Dispatch.Check(); err != nil {
		return api.Refused("%v", err)
	}
	if b := d.Spending.Budget(); b.IsReached() { // a worker would be made for nothing
		return api.Refused("pool %s has spent its budget, %s: set more with %s", d.Info.Name, b, d.Dir.Command("budget USD"))
	}
	if why := d.Spending.Paused(time.Now()); why != "" {
		return api.Refused("pool %s is %s: go on with ocaptain resume %s", d.Info.Name, why, d.Dir.ID())
	}
	if from := r.Dispatch.Provider; from != "" && d.Providers[from] == nil {
		return api.Refused("there is no provider %s", clean.Word(from))
	}
	if err := d.checkWorker(r.Dispatch.Worker, r.Dispatch.Provider); err != nil {
		return err
	}
	if err := pool.Refuse(r.Dispatch, d.crew().Counted(), r.Workers); err != nil {
		return api.Refused("pool %s: %v", d.Info.Name, err)
	}
	return nil
}

// checkWorker returns why no dispatch can wait for a worker of a provider, nil if one can. "" stands for any.
func (d *Dispatcher) checkWorker(worker, provider string) error {
	if worker == "" {
		return nil
	}
	switch f := d.Roster.Ship(worker); {
	case f == nil:
		return api.NotFound("pool %s has no worker %s", d.Info.Name, clean.Word(worker))
	case f.Draining:
		return api.Refused("%s is drained and takes no more", f.Name)
	case provider != "" && f.Provider != provider:
		return api.Refused("%s comes from %s, not from %s", f.Name, f.Provider, clean.Word(provider))
	}
	return nil
}

// add adds the task of a dispatch, once for each key, and returns its id.
func (d *Dispatcher) add(ctx context.Context, r tasks.Dispatch) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.Store.Snapshot().Tasks {
		if t.Dispatch().Key == r.Key {
			return t.ID, nil
		}
	}
	added, err := d.As(rights.Captain).Add(ctx, []tasks.Task{r.Task()})
	if err != nil {
		return "", d.Hinders.OrAway("", err)
	}
	return added[0].ID, nil
}

// maxWait is how long a dispatch waits for a worker that is about to be free.
const maxWait = 3 * time.Second

// giveWhenFree gives tasks to workers. If a worker without a task is about to be free, giveWhenFree waits for it, so
// that no further worker is made.
func (d *Dispatcher) giveWhenFree(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	for {
		if err := d.Give(); err != nil {
			return err
		}
		t := d.Store.Snapshot().Task(id)
		if t.ReservedFor != "" || t.Status != tasks.Pending || t.Worker() != "" || !d.crew().SoonFree(d.Store.Snapshot()) {
			return nil
		}
		if retry.Sleep(ctx, 50*time.Millisecond) != nil {
			return nil
		}
	}
}

// addWorkers plans as many workers as the queue lacks and the request allows, and has them provisioned.
func (d *Dispatcher) addWorkers(r api.DispatchRequest) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	crew := d.crew()
	lacks := pool.Lacks(d.Store.Snapshot(), crew.Coming())
	lacks = lacks[:max(0, min(len(lacks), r.Workers-len(crew.Counted())))]
	if len(lacks) == 0 {
		return nil
	}
	again, more := crew.Again(lacks)
	places := map[string]int{}
	for _, from := range more {
		places[cmp.Or(from, r.Provider, d.Info.Provider)]++
	}
	var failed error
	for _, from := range slices.Sorted(maps.Keys(places)) {
		failed = errors.Join(failed, d.Fit.Plan(from, places[from], "", ""))
	}
	d.Fit.AgainSoon(again)
	return failed
}
