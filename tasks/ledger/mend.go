package ledger

import (
	"encoding/json"
	"slices"
	"time"

	"ocaptain/tasks"
)

// Mend returns the changes that put tasks of the ledger back to the given states, and raise its floor. Each fits a record.
func Mend(states []tasks.State, floor uint64) ([]*Change, error) {
	all := []*Change{{Kind: mended, Floor: floor}}
	size := 0
	for _, s := range states {
		raw, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		if size += len(raw); size > maxPart {
			all, size = append(all, &Change{Kind: mended}), len(raw)
		}
		last := all[len(all)-1]
		last.States = append(last.States, s)
	}
	return all, nil
}

func (l *Ledger) applyMend(at time.Time, c *Change) error {
	again, err := l.Mended(at, nil, c.States, c.Floor, "Redis had lost it")
	if err != nil {
		return err
	}
	again.changed = slices.Clone(again.Order)
	*l = *again
	return nil
}

// Mended returns the ledger with further tasks, and with tasks put back to the given states. The history of these says why.
func (l *Ledger) Mended(at time.Time, add []tasks.Task, states []tasks.State, floor uint64, why string) (*Ledger, error) {
	further := make(map[string]tasks.State, len(states))
	for _, state := range states {
		further[state.ID] = state
	}
	all := make([]Kept, 0, len(l.Order)+len(add))
	for _, e := range l.Order {
		all = append(all, Kept{Origin: e.Origin, State: *e.State, History: e.History})
	}
	for _, t := range add {
		all = append(all, Kept{Origin: t, State: tasks.State{Task: t}})
	}
	for i := range all {
		if state, ok := further[all[i].Origin.ID]; ok {
			all[i].State = state
			all[i].History = append(slices.Clone(all[i].History), tasks.Event{
				At: at, Kind: Restored, Task: state.ID, Owner: state.Owner, Epoch: state.Epoch, Commit: state.Commit, Reason: why,
			})
		}
	}
	again, err := Rebuild(at, all, max(floor, l.Floor))
	if err != nil {
		return nil, err
	}
	again.Hubs, again.Heard, again.Terms, again.Wholes = l.Hubs, l.Heard, l.Terms, l.Wholes
	return again, nil
}
