// Package plan decides, without doing any of it, what goes on in a voyage whose tasks are made before it sails: what ships may claim,
// what their work becomes, what they are told, and when the voyage is verified and over.
package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/sync"
	"ocaptain/tasks"
)

var _ kind.Kind = Plan{}

// Plan is a voyage of this kind, as far as decisions depend on it.
type Plan struct {
	Voyage string // its id
	Fixes  int    // how many tasks may be added because verify.sh failed

	Validators int // ships that review work before it is merged; with none it is merged without
	MaxQueue   int // how much work may wait for that before workers get no new task, 0 for as much as usual
}

// Look works out what there is to do.
func (p Plan) Look(all tasks.Snapshot) *kind.View {
	parts := all.Parts()
	if p.Validators == 0 && len(parts) == 0 {
		return kind.NewView(all, p.IsDone(all), Open(all))
	}
	return p.Reviewed(all, p.IsDone(all), func(t *tasks.State) string {
		if _, has := parts[t.ID]; has {
			return ""
		}
		return fleet.Worker
	})
}

// Reviewed is the view of a voyage whose work is reviewed. role is whom a task is for that is not in review.
func (p Plan) Reviewed(all tasks.Snapshot, done bool, role func(*tasks.State) string) *kind.View {
	queue := 0
	for _, t := range all.Open() {
		if t.InReview() {
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
	slices.SortStableFunc(reviews, func(a, b *tasks.State) int { return a.HandIn.At.Compare(b.HandIn.At) }) // the first is reviewed first
	view := kind.NewRoleView(all, done, append(reviews, open...), func(t *tasks.State) string {
		switch {
		case !t.InReview():
			return role(t)
		case t.Approved() || t.HandIn.Checked == "":
			return "" // helm merges it, or checks it
		}
		return fleet.Validator
	})
	if queue > cmp.Or(p.MaxQueue, fleet.MaxQueue) {
		view.NoneNew()
	}
	return view
}

// Open lists the tasks that wait for nothing but an owner, the most urgent first.
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

// Done has all work merged, or handed in where there are validators. These have none of their own.
func (p Plan) Done(_ tasks.Snapshot, t *tasks.State, role string) (kind.Outcome, error) {
	switch {
	case role == fleet.Validator:
		return 0, fmt.Errorf("a review of task %s is not work to be merged: answer with ocaptain task review approve or reject", t.ID)
	case p.Validators > 0:
		return kind.HandIn, nil
	}
	return kind.Merge, nil
}

// Parents are the tasks that consist of others. One is done when all its parts are.
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

// Plans lets no ship add tasks: they come with the plan.
func (Plan) Plans(*tasks.State) int { return 0 }

// Crew names ships ship-0, ship-1 and so on. All are workers, except the ships that review.
func (p Plan) Crew(number int, roles []string) (name, role string) {
	if p.LacksValidator(roles) {
		return RoleName(fleet.Validator, number, roles), fleet.Validator
	}
	return fmt.Sprintf("ship-%d", max(0, number-p.Validators)), fleet.Worker
}

// LacksValidator reports whether a voyage with ships of these roles is to have another validator.
func (p Plan) LacksValidator(roles []string) bool {
	return Count(roles, fleet.Validator) < p.Validators
}

// RoleName is the name of the next ship of a role that not every ship has.
func RoleName(role string, number int, roles []string) string {
	if Count(roles, role) == 0 {
		number = 0
	}
	return fmt.Sprintf("%s-%d", role, number)
}

// Count is how many of these roles are that one.
func Count(roles []string, role string) (n int) {
	for _, r := range roles {
		if r == role {
			n++
		}
	}
	return n
}

// First is the number of the first ship.
func (Plan) First() int { return 0 }
