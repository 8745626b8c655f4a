package helm

import (
	"maps"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// forgetPast drops what is known of claims and ships and that nobody can ask for any more, so that a voyage may go on for ever. The journal
// tells it again to the next helm, which drops it, too.
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
		told := t == nil || t.Status == tasks.Completed || t.Epoch > f.Epoch+1 // its next owner was, or there is none
		return told && (!there[f.Ship] || v.fenced[f.Ship]-f.number >= mostFences)
	})
}
