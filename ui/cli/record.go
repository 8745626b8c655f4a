package cli

import (
	"encoding/json"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// record is what the journal of a voyage says about its claims.
type record struct {
	claims    int // number of accepted claims
	completed int
	conflicts int
	byShip    map[string]int      // number of tasks that each ship completed
	granted   map[string][]claims // claims that were granted, by task
	accepted  map[string][]claims // claims whose completion was accepted, by task
}

// claims is one claim: its owner and epoch.
type claims struct {
	Task  string `json:"task"`
	Owner string `json:"owner"`
	Epoch uint64 `json:"epoch"`
}

// readRecord reads the journal from its beginning, independently of helm's state.
func readRecord(d fleet.Dir) (record, error) {
	r := record{byShip: map[string]int{}, granted: map[string][]claims{}, accepted: map[string][]claims{}}
	_, err := journal.Read(d.Events(), 0, func(rec journal.Record) error {
		var c claims
		switch rec.Kind {
		case "helm.conflict":
			r.conflicts++
			return nil
		case "task.claimed", "task.completed":
			if err := json.Unmarshal(rec.Data, &c); err != nil {
				return fmt.Errorf("journal before byte %d: %w", rec.Seq, err)
			}
		}
		switch rec.Kind {
		case "task.claimed":
			r.claims++
			r.granted[c.Task] = append(r.granted[c.Task], c)
		case "task.completed":
			r.completed++
			r.byShip[c.Owner]++
			r.accepted[c.Task] = append(r.accepted[c.Task], c)
		}
		return nil
	})
	return r, err
}

// wrongTasks lists the tasks of the board that were not completed by exactly one accepted claim.
func (r record) wrongTasks(board fleet.Board) []string {
	var bad []string
	for i := range board.Tasks {
		t := &board.Tasks[i]
		done := r.accepted[t.ID]
		switch {
		case t.Status != tasks.Completed || len(done) == 0:
			bad = append(bad, fmt.Sprintf("task %s was not completed", t.ID))
			continue
		case len(done) > 1:
			bad = append(bad, fmt.Sprintf("task %s was completed %d times", t.ID, len(done)))
			continue
		}
		matching := 0
		for _, c := range r.granted[t.ID] {
			if c == done[0] {
				matching++
			}
		}
		if matching != 1 {
			bad = append(bad, fmt.Sprintf("task %s was completed by %d accepted claims of %s", t.ID, matching, done[0].Owner))
		}
	}
	if len(board.Tasks) == 0 {
		bad = append(bad, "there were no tasks")
	}
	return bad
}
