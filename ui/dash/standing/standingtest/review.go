package standingtest

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// InReview returns a board with work in all steps to the branch: 3 is being reviewed, 4 waits, 8 is approved, 9 was sent back
// and 5 is being corrected.
func InReview() *fleet.Board {
	b := Harbour()
	b.Ships = append(b.Ships, Ship("validator-0", fleet.Working, ""))
	handIn := func(i, minutes int, owner, summary string) *tasks.State {
		t := &b.Tasks[i]
		t.Status, t.Owner, t.ClaimedAt = tasks.Pending, "", time.Time{}
		t.NotBefore, t.Reason, t.Attempts, t.Epoch = time.Time{}, "", 1, 1
		t.HandIn = &tasks.HandIn{Owner: owner, Epoch: 1, Commit: "0123456789abcdef", Summary: summary, At: Ago(time.Duration(minutes) * time.Minute)}
		return t
	}
	t := handIn(2, 12, "ship-0", "Tokens are checked in one place.")
	t.Status, t.Owner, t.ClaimedAt, t.Epoch, t.HandIn.Checked = tasks.InProgress, "validator-0", Ago(2*time.Minute), 2, "cafe"
	handIn(3, 5, "ship-1", "")
	t = handIn(7, 20, "ship-2", "Logins are limited to five a minute.\x1b[31m")
	t.HandIn.Checked, t.HandIn.Passed, t.Rejections, t.Reason = "cafe", true, 1, "validator-0: nothing tests the limit"
	t.HandIn.Review = &tasks.Review{
		Approved: true, By: "validator-0", At: Ago(time.Minute), Reasoning: "The limit holds, and is tested at its edges.\x07",
		Suggestions: []string{"Name the limit in the configuration", "Say in the API's description what a client is told\x1b[2J"},
	}
	back := &b.Tasks[8]
	back.NotBefore, back.Attempts, back.Epoch, back.Draft, back.ReservedFor, back.Rejections = time.Time{}, 1, 1, "0123456789abcdef", "ship-1", 2
	back.Reason = "validator-0: the old keys stay valid for ever"
	mended := &b.Tasks[4]
	mended.Status, mended.Owner, mended.ClaimedAt, mended.Draft, mended.BlockedBy = tasks.InProgress, "ship-2", Ago(4*time.Minute), "0123456789abcdef", nil
	b.Tasks[5].BlockedBy = []string{"3", "1"}
	for i := range b.Tasks {
		b.Tasks[i].Blocks = nil
	}
	b.Tasks = Linked(b.Tasks)
	return b
}
