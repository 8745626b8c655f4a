package voyage

import (
	"encoding/json"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/tasks/journal"
)

// replay restores from the journal what only helm knows, and returns what it tells of the voyage and its ships.
func (v *Voyage) replay() (known fleet.Facts, err error) {
	_, err = journal.Read(v.dir.Events(), 0, func(r journal.Record) error {
		known.AddRecord(r)
		v.facts.Add(r)
		if n := (fleet.Note{}); r.Kind == facts.KindNote && json.Unmarshal(r.Data, &n) == nil {
			v.notes.add(n)
		}
		return nil
	})
	return known, err
}
