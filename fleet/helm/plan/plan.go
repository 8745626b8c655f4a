// Package plan decides what happens in a voyage whose tasks exist before it sails: what ships may claim, what becomes of their work,
// what they are told, and when the voyage is verified and over. It only decides; helm acts.
package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/kind"
	"ocaptain/sync"
	"ocaptain/tasks"
)

var _ kind.Kind = Plan{}

// Plan holds the settings of such a voyage on which decisions depend.
type Plan struct {
	Voyage string // its id
	Fixes  int    // how many tasks may be added because verify.sh failed

	Validators int  // how many ships review work before its merge; if 0, work is merged without a review
	MaxQueue   int  // how many tasks may wait for review before workers get no new task, 0 for the default
	HandsIn    bool // ships hand work in for validators of other hubs, although this hub has none
	Hub        int  // number of the hub, if several share the tasks; 0 for the hub that began them
}

// Look returns what ships may claim.
func (p Plan) Look(all tasks.Snapshot) *kind.View {
	parts := all.Parts()
	if p.Validators == 0 && !p.HandsIn && len(parts) == 0 {
		return kind.NewView(all, p.IsDone(all), Open(all))
	}
	return p.Reviewed(all, p.IsDone(all), func(t *tasks.State) string {
		if _, has := parts[t.ID]; has {
			return ""
		}
		return fleet.Worker
	})
}

// Reviewed returns the view of a voyage with reviews. role returns the role of the ships that may claim a task that
// is not in review.
func (p Plan) Reviewed(all tasks.Snapshot, done bool, role func(*tasks.State) string) *kind.View {
	queue := 0
	for _, t := range all.Open() {
		if t.InReview() && hubs.Of(t) == p.Hub {
			queue++
		}
	}
	var open, reviews []*tasks.State
	for _, t := range Open(all) {
		if t.InReview() {
			reviews = append(reviews, t)
		} else {
			open = append(open, t)
		}
	}
	slices.SortStableFunc(reviews, func(a, b *tasks.State) int { return a.HandIn.At.Compare(b.HandIn.At) }) // first handed in, first reviewed
	view := kind.NewRoleView(all, done, append(reviews, open...), func(t *tasks.State) string {
		switch {
		case !t.InReview():
			return role(t)
		case t.Approved() || t.HandIn.Checked == "" || hubs.Of(t) != p.Hub:
			return "" // helm checks or merges it, or another hub does
		}
		return fleet.Validator
	})
	if queue > cmp.Or(p.MaxQueue, fleet.MaxQueue) {
		view.NoneNew()
	}
	return view
}

// Open lists the tasks that only wait for an owner, the most urgent first.
func Open(all tasks.Snapshot) []*tasks.State {
	var open [tasks.Priorities][]*tasks.State
	for _, t := range all.Open() {
		if t.Status == tasks.Pending && !t.OnHold && !t.Internal() && len(all.Blockers(t)) == 0 {
			p := t.Priority()
			open[p] = append(open[p], t)
		}
	}
	return slices.Concat(open[:]...)
}

// IsDone reports whether every task is completed. A voyage without tasks is never done.
func (Plan) IsDone(all tasks.Snapshot) bool {
	shown := func(t *tasks.State) bool { return !t.Internal() }
	return !slices.ContainsFunc(all.Open(), shown) && slices.ContainsFunc(all.Tasks, shown)
}

// Gives returns false: ships claim tasks by themselves.
func (Plan) Gives() bool { return false }

// Give returns nothing.
func (Plan) Give(time.Time, tasks.Snapshot, []kind.Ship) []kind.Gift { return nil }

// Tell returns "": ships learn of a task when they claim it.
func (Plan) Tell(*tasks.State) string { return "" }

// Base returns "": all work begins at the newest commit of the branch.
func (Plan) Base(*tasks.State) string { return "" }

// Merge returns a merge to the voyage's branch.
func (p Plan) Merge(t *tasks.State, ship, summary string) sync.Merge {
	return kind.Commit(p.Voyage, t, ship, summary)
}

// Folder returns "": the voyage has one branch.
func (Plan) Folder() string { return "" }

// Tries returns 5: the cause of a failure may pass, and another ship may succeed.
func (Plan) Tries() int { return 5 }

// Done returns that work is merged or, in a voyage with validators, handed in. Validators have no work of their own.
func (p Plan) Done(_ tasks.Snapshot, t *tasks.State, role string) (kind.Outcome, error) {
	switch {
	case role == fleet.Validator:
		return 0, fmt.Errorf("a review of task %s is not work to be merged: answer with ocaptain task review approve or reject", t.ID)
	case p.Validators > 0 || p.HandsIn:
		return kind.HandIn, nil
	}
	return kind.Merge, nil
}

// Parents lists the tasks that consist of others. Such a task is done when all its parts are.
func (Plan) Parents(all tasks.Snapshot) []kind.Parent {
	var parents []kind.Parent
	parts := all.Parts()
	if len(parts) == 0 {
		return nil
	}
	for _, t := range all.Tasks {
		if open, has := parts[t.ID]; has {
			parents = append(parents, kind.Parent{Task: t, Done: open == 0})
		}
	}
	return parents
}

// Plans returns 0: no ship may add tasks, as they come with the plan.
func (Plan) Plans(*tasks.State) int { return 0 }

// Crew names ships ship-0, ship-1 and so on. All are workers, except the validators.
func (p Plan) Crew(number int, roles []string) (name, role string) {
	if p.LacksValidator(roles) {
		return RoleName(fleet.Validator, number, roles), fleet.Validator
	}
	return fmt.Sprintf("ship-%d", max(0, number-p.Validators)), fleet.Worker
}

// LacksValidator reports whether a voyage with ships of these roles needs another validator.
func (p Plan) LacksValidator(roles []string) bool {
	return Count(roles, fleet.Validator) < p.Validators
}

// RoleName returns the name of the next ship of a role other than worker.
func RoleName(role string, number int, roles []string) string {
	if Count(roles, role) == 0 {
		number = 0
	}
	return fmt.Sprintf("%s-%d", role, number)
}

// Count counts a role in roles.
func Count(roles []string, role string) (n int) {
	for _, r := range roles {
		if r == role {
			n++
		}
	}
	return n
}

// First returns 0, the number of the first ship.
func (Plan) First() int { return 0 }
