package fit

import (
	"errors"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/retry"
)

// Run finishes removals that failed, once the machines are gone, and then provisions the replacements. It ends with
// Options.Context.
func (f *Fit) Run() {
	for {
		select {
		case <-f.undone:
		case <-f.o.Context.Done():
			return
		}
		for pause := time.Second; ; pause = min(time.Minute, 2*pause) {
			if f.Busy.Lock(f.o.Context) != nil {
				return
			}
			err := f.finishRemovals()
			if err == nil && f.o.Roster.Afloat() == nil {
				if e := f.fitAll(f.o.Context, nil); e != nil && f.o.Context.Err() == nil {
					f.o.Notes.Add(fleet.Note{Text: e.Error()})
				}
			}
			if err == nil {
				f.SinkEmpty()
			}
			f.Busy.Unlock()
			if err == nil {
				break
			}
			if retry.Sleep(f.o.Context, pause) != nil {
				return
			}
		}
	}
}

// finishRemovals removes the ships that are to go and whose machines are gone. It has the keeper of machines destroy
// the machines of the others.
func (f *Fit) finishRemovals() error {
	var failed []error
	for _, s := range f.o.Roster.Now().Ships {
		if s.Phase != fleet.Going {
			continue
		}
		if id := machines.IDOf(f.o.Dir.ID(), s); f.o.Access.Machines.Has(id) {
			failed = append(failed, f.o.Access.Machines.Unwant(id, removed, nil))
			continue
		}
		failed = append(failed, f.removeShip(f.o.Context, s.Name, func(api.Progress) {}, !s.Again))
	}
	return errors.Join(failed...)
}
