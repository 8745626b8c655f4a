package kind

import (
	"fmt"
	"strconv"
	"strings"

	"ocaptain/tasks/reconcile"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// The trailers of a merge. Trailers with the claim prove a completion after a crash.
const (
	TrailerTask  = "Ocaptain-Task"
	TrailerShip  = "Ocaptain-Ship"
	TrailerClaim = "Ocaptain-Claim"

	TrailerReview  = "Ocaptain-Review"  // the ship that reviewed the work
	TrailerReverts = "Ocaptain-Reverts" // the claim whose work is reverted
	TrailerBeside  = "Ocaptain-Beside"  // another ship and its task, whose work so far is in the commit too
)

// Commit returns the merge by which a ship's work on a task is committed.
func Commit(voyage string, t *tasks.State, ship, summary string) sync.Merge {
	body := strings.TrimSpace(summary)
	if body == "" {
		body = strings.TrimSpace(t.Description)
	}
	return sync.Merge{
		Name:    ship,
		Subject: clean.Line(t.Subject),
		Body:    clean.Text(body),
		Trailers: [][2]string{
			{TrailerTask, t.ID}, {TrailerShip, ship}, {TrailerClaim, tasks.ClaimID(t.ID, t.Epoch)},
		},
		Author: fmt.Sprintf("%s <%s@%s>", ship, ship, voyage),
		Keep:   "refs/ocaptain/tasks/" + t.ID,
	}
}

// Revert returns the merge by which the work of a completed task is reverted.
func Revert(voyage string, t *tasks.State, why string) sync.Merge {
	return sync.Merge{
		Name:     fleet.Captain,
		Subject:  "Revert \"" + clean.Line(t.Subject) + "\"",
		Body:     strings.TrimSpace(fmt.Sprintf("This takes back commit %s of task %s.\n\n%s", t.Commit, t.ID, clean.Text(why))),
		Trailers: [][2]string{{TrailerReverts, tasks.ClaimID(t.ID, t.Epoch)}},
		Author:   fmt.Sprintf("%s <%[1]s@%s>", fleet.Captain, voyage),
		Steers:   func(sync.Steering) error { return nil }, // the captain himself decides to revert it
	}
}

// Reverted returns the claims of a voyage whose work was reverted, from a branch's history.
func Reverted(voyage string, history []sync.Commit) map[string]bool {
	all := map[string]bool{}
	for _, c := range history {
		if claim := c.Values[TrailerReverts]; claim != "" && c.Mail == fleet.Captain+"@"+voyage {
			all[claim] = true
		}
	}
	return all
}

// Landed returns the completions of a voyage from a branch's history, without those whose work was reverted. Commits of other voyages that the
// captain has merged have the same trailers, and are left out.
func Landed(voyage string, history []sync.Commit) []reconcile.Landed {
	var all []reconcile.Landed
	reverted := Reverted(voyage, history)
	for _, c := range history {
		ship, ours := strings.CutSuffix(c.Mail, "@"+voyage)
		task, claim := c.Values[TrailerTask], c.Values[TrailerClaim]
		epoch, err := strconv.ParseUint(strings.TrimPrefix(claim, task+"."), 10, 53)
		if ours && err == nil && !reverted[claim] && tasks.ValidID(task) && claim == tasks.ClaimID(task, epoch) && c.Values[TrailerShip] == ship {
			all = append(all, reconcile.Landed{Task: task, Owner: ship, Epoch: epoch, Commit: c.ID, Subject: c.Subject})
		}
	}
	return all
}
