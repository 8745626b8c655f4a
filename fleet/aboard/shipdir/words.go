package shipdir

import (
	"fmt"
	"strings"

	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// JoinIDs joins the first ten ids, and says how many more there are.
func JoinIDs(ids []string) string {
	if len(ids) > 10 {
		return strings.Join(ids[:10], ", ") + ", …"
	}
	return strings.Join(ids, ", ")
}

// CompletedText says what happened to the work on a completed task.
func CompletedText(id string, c proto.Completed) string {
	switch {
	case c.Review && c.Empty:
		return "handed in task " + id + ", although your work changes no file: it is reviewed all the same"
	case c.Review:
		return "handed in task " + id + ": your part of it is done, and it is reviewed before it is merged"
	case c.Open:
		return "your part of task " + id + " is done"
	case c.Empty:
		return "completed task " + id + ": nothing changed"
	case c.Changed == 1:
		return "completed task " + id + ": 1 file merged"
	}
	return fmt.Sprintf("completed task %s: %d files merged", id, c.Changed)
}

// ReviewedText says what a validator has decided, for the log.
func ReviewedText(r proto.ReviewRequest) string {
	said, err := tasks.ReadReview(r.Review)
	switch {
	case err != nil:
		return "a review of task " + r.Claim.Task + " that cannot be used"
	case said.Approved:
		return "approved task " + r.Claim.Task + ": " + Cut(said.Reasoning, 300)
	}
	return "rejected task " + r.Claim.Task + ": " + Cut(said.Reasoning, 300)
}
