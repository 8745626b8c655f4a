package kind

import (
	"fmt"
	"strconv"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// The trailers of a merge. The claim is what makes a completion provable after a crash.
const (
	TrailerTask  = "Ocaptain-Task"
	TrailerShip  = "Ocaptain-Ship"
	TrailerClaim = "Ocaptain-Claim"

	TrailerReview = "Ocaptain-Review" // who reviewed it
)

// Commit describes the commit that a ship's work on a task of a voyage becomes.
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

// Landed picks the completions of a voyage out of a branch's history. Commits of other voyages, which the captain may
// have merged, carry the same trailers.
func Landed(voyage string, history []sync.Commit) []tasks.Landed {
	var all []tasks.Landed
	for _, c := range history {
		ship, ours := strings.CutSuffix(c.Mail, "@"+voyage)
		task, claim := c.Values[TrailerTask], c.Values[TrailerClaim]
		epoch, err := strconv.ParseUint(strings.TrimPrefix(claim, task+"."), 10, 53)
		if ours && err == nil && tasks.ValidID(task) && claim == tasks.ClaimID(task, epoch) && c.Values[TrailerShip] == ship {
			all = append(all, tasks.Landed{Task: task, Owner: ship, Epoch: epoch, Commit: c.ID})
		}
	}
	return all
}
