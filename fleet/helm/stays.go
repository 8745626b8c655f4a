package helm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet"
)

// errStays is in the error of a removal whose machine may still be there, or whose task could not be taken back.
var errStays = errors.New("it is tried again until it is gone")

// stays tells the captain that a machine could not be destroyed, for as long as that is so.
func (v *voyage) stays(ctx context.Context, f *fleet.Ship, why error) error {
	err := fmt.Errorf("%s: its machine %s could not be destroyed: %w; %w", f.Name, f.MachineName(v.dir.ID()), why, errStays)
	if ctx.Err() != nil {
		return err // helm ends, and the next one goes on
	}
	text := clean(why.Error(), maxText)
	v.keep(func(*fleet.Fleet) { f.Error = text })
	v.note(fleet.Note{Ship: f.Name, Text: "its machine could not be destroyed, and that is tried again until it is gone: " + text})
	return err
}

// later has the remover finish a removal that failed, if it did. It returns err.
func (v *voyage) later(err error) error {
	if errors.Is(err, errStays) {
		select {
		case v.undone <- struct{}{}:
		default:
		}
	}
	return err
}

// remover goes on with removals that failed, for as long as it takes: nothing that costs is
// forgotten. A ship that was to be replaced gets its new machine then.
func (v *voyage) remover() {
	for {
		select {
		case <-v.undone:
		case <-v.ctx.Done():
			return
		}
		for pause := time.Second; sleep(v.ctx, pause) == nil; pause = min(time.Minute, 2*pause) {
			if v.busy.Lock(v.ctx) != nil {
				return
			}
			err := v.finishRemovals()
			if err == nil && v.afloat() == nil {
				if e := v.fitAll(v.ctx, nil); e != nil && v.ctx.Err() == nil {
					v.note(fleet.Note{Text: e.Error()})
				}
			}
			if err == nil {
				v.endRetired()
			}
			v.busy.Unlock()
			if err == nil {
				break
			}
		}
	}
}
