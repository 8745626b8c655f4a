// Package plan decides, without doing any of it, what goes on in a voyage whose tasks are made before it sails: what ships may claim,
// what their work becomes, what they are told, and when the voyage is verified and over.
package plan

import (
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/helm/kind"
	"ocaptain/sync"
	"ocaptain/tasks"
)

var _ kind.Kind = Plan{}

// Plan is a voyage of this kind, as far as decisions depend on it.
type Plan struct {
	Voyage string // its id
	Fixes  int    // how many tasks may be added because verify.sh failed
}

// Look works out what there is to do.
func (p Plan) Look(all tasks.Snapshot) *kind.View {
	return kind.NewView(all, p.IsDone(all), Open(all))
}

// Open lists the tasks that wait for nothing but an owner, the most urgent first.
func Open(all tasks.Snapshot) []*tasks.State {
	var open []*tasks.State
	for _, t := range all.Tasks {
		if t.Status == tasks.Pending && !t.OnHold && !t.Internal() && len(all.Blockers(t)) == 0 {
			open = append(open, t)
		}
	}
	slices.SortStableFunc(open, func(a, b *tasks.State) int { return a.Priority() - b.Priority() })
	return open
}

// IsDone reports whether every task is completed. A voyage without tasks is never done.
func (Plan) IsDone(all tasks.Snapshot) bool {
	n := 0
	for _, t := range all.Tasks {
		if t.Internal() {
			continue
		}
		if t.Status != tasks.Completed {
			return false
		}
		n++
	}
	return n > 0
}

// Gives is not so: ships claim by themselves.
func (Plan) Gives() bool { return false }

// Give gives nothing.
func (Plan) Give(time.Time, tasks.Snapshot, []kind.Ship) []kind.Gift { return nil }

// Tell tells nothing: ships learn of a task when they claim it.
func (Plan) Tell(*tasks.State) string { return "" }

// Base lets all work begin at the newest commit of the branch.
func (Plan) Base(*tasks.State) string { return "" }

// Merge brings all work to the voyage's branch.
func (p Plan) Merge(t *tasks.State, ship, summary string) sync.Merge {
	return kind.Commit(p.Voyage, t, ship, summary)
}

// Folder is none: there is one branch.
func (Plan) Folder() string { return "" }

// Tries is how often a task may fail: what made it fail may pass, and another ship may do better.
func (Plan) Tries() int { return 5 }

// Merges has all work merged.
func (Plan) Merges(tasks.Snapshot, *tasks.State, string) (bool, error) { return true, nil }

// Parents are none: the tasks of a plan stand side by side.
func (Plan) Parents(tasks.Snapshot) []kind.Parent { return nil }

// Plans lets nobody add tasks: they come with the plan.
func (Plan) Plans(*tasks.State) int { return 0 }

// Crew names ships ship-0, ship-1 and so on. All are workers.
func (Plan) Crew(number int, _ []string) (name, role string) {
	return fmt.Sprintf("ship-%d", number), fleet.Worker
}

// First is the number of the first ship.
func (Plan) First() int { return 0 }

// Begin has an agent claim its first task.
func (p Plan) Begin(ship string) string { return agent.FirstPrompt(ship, p.Voyage) }
