package helm

import (
	"encoding/json"

	"ocaptain/fleet"
	"ocaptain/tasks/journal"
)

// The kinds of journal records that helm writes itself.
const (
	kindNote      = "helm.note"      // fleet.Note
	kindProposal  = "helm.proposal"  // fleet.Proposal
	kindDismissed = "helm.dismissed" // dismissed
	kindCheckout  = "helm.checkout"  // checkout
	kindRefused   = "helm.refused"   // what an agent asked for and why not
	kindConflict  = "helm.conflict"  // conflict
	kindVerified  = "helm.verified"  // fleet.Verify
	kindHold      = "helm.hold"      // hold
	kindFence     = "helm.fence"     // fence
	kindSteering  = "helm.steering"  // fleet.Steering
)

// checkout says that the claim of that epoch has its tree, or without a task that a ship's tree was brought to the branch for none.
type checkout struct {
	Task   string `json:"task"`
	Ship   string `json:"ship"`
	Epoch  uint64 `json:"epoch"`
	Commit string `json:"commit"`
	Parked string `json:"parked,omitempty"`
}

// conflict says that a completion was vetoed because the work did not merge.
type conflict struct {
	Task  string   `json:"task"`
	Ship  string   `json:"ship"`
	Paths []string `json:"paths"`
}

// newConflict is what is kept of a vetoed merge: names of files are as many and as long as a ship likes.
func newConflict(task, ship string, paths []string) conflict {
	c := conflict{Task: task, Ship: ship}
	for _, p := range paths[:min(len(paths), 20)] {
		c.Paths = append(c.Paths, cleanText(p, 200))
	}
	return c
}

// replay restores from the journal what only helm knows, and returns what it tells of the voyage and its ships.
func (v *voyage) replay() (facts fleet.Facts, err error) {
	_, err = journal.Read(v.dir.Events(), 0, func(r journal.Record) error {
		facts.AddRecord(r)
		switch r.Kind {
		case kindCheckout:
			var c checkout
			if json.Unmarshal(r.Data, &c) == nil {
				v.stands[c.Ship] = c.Task
				if c.Task != "" {
					v.checkouts[c.Task] = c.Epoch
				}
			}
		case kindConflict:
			var c conflict
			if json.Unmarshal(r.Data, &c) == nil {
				v.conflicts[c.Ship]++
			}
		case kindFence:
			var f fence
			if json.Unmarshal(r.Data, &f) == nil {
				v.keepFence(f)
			}
		case kindSteering:
			var is fleet.Steering
			if json.Unmarshal(r.Data, &is) == nil {
				v.steering[is.Task] = is
			}
		case kindHold:
			var h hold
			if json.Unmarshal(r.Data, &h) == nil {
				if v.holds[h.Login] = &h; h.Over {
					delete(v.holds, h.Login)
				}
			}
		case kindProposal:
			var p fleet.Proposal
			if json.Unmarshal(r.Data, &p) == nil {
				_, _ = v.proposals.add(p)
			}
		case kindDismissed:
			var d dismissed
			if json.Unmarshal(r.Data, &d) == nil {
				v.proposals.remove(d.Proposal)
			}
		case kindNote:
			var n fleet.Note
			if json.Unmarshal(r.Data, &n) == nil {
				v.notes.add(n)
			}
		}
		return nil
	})
	return facts, err
}
