package voyage

import (
	"errors"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/retry"
)

// errStays is in the error of a removal whose machine may still be there, or whose task could not be taken back.
var errStays = errors.New(fleet.UntilGone)

// later has the remover finish a removal that failed, if it did. It returns err.
func (v *Voyage) later(err error) error {
	if errors.Is(err, errStays) {
		v.settleLocked()
	}
	return err
}

// settleLocked has the remover look at the removals that are under way. The caller may hold v.mu.
func (v *Voyage) settleLocked() {
	v.undone.Send()
}

// remover finishes removals whose caller has left, whenever a machine is gone. A ship that was to be replaced
// gets its new machine then.
func (v *Voyage) remover() {
	for {
		select {
		case <-v.undone:
		case <-v.ctx.Done():
			return
		}
		for pause := time.Second; ; pause = min(time.Minute, 2*pause) {
			if v.busy.Lock(v.ctx) != nil {
				return
			}
			err := v.finishRemovals()
			if err == nil && v.afloat() == nil {
				if e := v.fitAll(v.ctx, nil); e != nil && v.ctx.Err() == nil {
					v.notes.Add(fleet.Note{Text: e.Error()})
				}
			}
			if err == nil {
				v.sinkEmpty()
			}
			v.busy.Unlock()
			if err == nil {
				break
			}
			if retry.Sleep(v.ctx, pause) != nil {
				return
			}
		}
	}
}

// finishRemovals drops the ships that are being removed and whose machines are gone, and has the machines of the
// others destroyed.
func (v *Voyage) finishRemovals() error {
	var failed []error
	for _, s := range v.roster.Now().Ships {
		if s.Phase != fleet.Going {
			continue
		}
		if id := v.machineOf(s); v.set.Machines.Has(id) {
			failed = append(failed, v.set.Machines.Unwant(id, removed, nil))
			continue
		}
		failed = append(failed, v.removeShip(v.ctx, s.Name, func(api.Progress) {}, !s.Again))
	}
	return errors.Join(failed...)
}

// removed is why the machine of a ship is not wanted that was sunk, removed or replaced.
const removed = "its ship was removed"
