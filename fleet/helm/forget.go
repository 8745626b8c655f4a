package helm

import (
	"maps"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// forgetPast drops the state of claims that are over and of ships that are gone, once no ship can ask for it, so that the maps stay small in a
// long voyage. The next helm reads the state from the journal again, and drops it with its first board.
func (v *voyage) forgetPast() {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := v.store.Snapshot()
	maps.DeleteFunc(v.checkouts, func(id string, epoch uint64) bool {
		t := all.Task(id)
		return t == nil || t.Status != tasks.InProgress || t.Epoch != epoch
	})
	maps.DeleteFunc(v.steering, func(id string, is fleet.Steering) bool { // the board shows what was let in
		t := all.Task(id)
		return t == nil || t.Epoch != is.Epoch && (t.HandIn == nil || t.HandIn.Epoch != is.Epoch)
	})
	there := map[string]bool{}
	for _, f := range v.fleet.Ships {
		there[f.Name] = true
	}
	maps.DeleteFunc(v.stands, func(ship, _ string) bool { return !there[ship] })
	maps.DeleteFunc(v.fenced, func(ship string, _ int) bool { return !there[ship] })
	maps.DeleteFunc(v.fences, func(_ string, f fence) bool {
		t := all.Task(f.Task)
		told := t == nil || t.Status == tasks.Completed || t.Epoch > f.Epoch+1 // the next owner was told what was kept, or there is none
		return told && (!there[f.Ship] || v.fenced[f.Ship]-f.number >= mostFences)
	})
}
