package taskpane

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// inReview shows a board with work on all its ways to the branch: 3 is reviewed, 4 waits, 8 is approved, 9 was sent back and 5 is
// mended.
func inReview(m Mode, id string) *Pane {
	b := harbour()
	b.Ships = append(b.Ships, ship("validator-0", fleet.Working, ""))
	handIn := func(i, minutes int, owner, summary string) *tasks.State {
		t := &b.Tasks[i]
		t.Status, t.Owner, t.ClaimedAt = tasks.Pending, "", time.Time{}
		t.NotBefore, t.Reason, t.Attempts, t.Epoch = time.Time{}, "", 1, 1
		t.HandIn = &tasks.HandIn{Owner: owner, Epoch: 1, Commit: "0123456789abcdef", Summary: summary, At: ago(time.Duration(minutes) * time.Minute)}
		return t
	}
	t := handIn(2, 12, "ship-0", "Tokens are checked in one place.")
	t.Status, t.Owner, t.ClaimedAt, t.Epoch, t.HandIn.Checked = tasks.InProgress, "validator-0", ago(2*time.Minute), 2, "cafe"
	handIn(3, 5, "ship-1", "")
	t = handIn(7, 20, "ship-2", "Logins are limited to five a minute.\x1b[31m")
	t.HandIn.Checked, t.HandIn.Passed, t.Rejections, t.Reason = "cafe", true, 1, "validator-0: nothing tests the limit"
	t.HandIn.Review = &tasks.Review{
		Approved: true, By: "validator-0", At: ago(time.Minute), Reasoning: "The limit holds, and is tested at its edges.\x07",
		Suggestions: []string{"Name the limit in the configuration", "Say in the API's description what a client is told\x1b[2J"},
	}
	back := &b.Tasks[8]
	back.NotBefore, back.Attempts, back.Epoch, back.Draft, back.ReservedFor, back.Rejections = time.Time{}, 1, 1, "0123456789abcdef", "ship-1", 2
	back.Reason = "validator-0: the old keys stay valid for ever"
	mended := &b.Tasks[4]
	mended.Status, mended.Owner, mended.ClaimedAt, mended.Draft, mended.BlockedBy = tasks.InProgress, "ship-2", ago(4*time.Minute), "0123456789abcdef", nil
	b.Tasks[5].BlockedBy = []string{"3", "1"}
	for i := range b.Tasks {
		b.Tasks[i].Blocks = nil
	}
	b.Tasks = linked(b.Tasks)
	p := showing(b)
	p.SetMode(m)
	p.Select(id)
	return p
}

// TestReview counts what is in review, and says of each task where it stands.
func TestReview(t *testing.T) {
	p := inReview(List, "4")
	want(t, p, "5 3 4 8 9 6 10 1 2 7")
	if got := p.Info(); !strings.HasPrefix(got, "3P 1W 3R 3D") {
		t.Errorf("counted as %q", got)
	}
	for id, text := range map[string]string{
		"3": "in review, reviewing by validator-0 for 2m",
		"4": "in review, waits for its turn, handed in 5m ago",
		"8": "in review, merging, approved by validator-0, handed in 20m ago",
		"9": "ready, kept for ship-1",
	} {
		if got := p.cause(p.order.Place[id]).Why; got != text {
			t.Errorf("%s: %q, want %q", id, got, text)
		}
	}
	h := p.all[p.order.Place["4"]].HandIn
	h.Checked = "cafe"
	if got := p.cause(p.order.Place["4"]).Why; got != "in review, checked, waits for a validator, handed in 5m ago" {
		t.Errorf("%q", got)
	}
	p.board.Ships = p.board.Ships[:3]
	if got := p.cause(p.order.Place["3"]).Why; !strings.Contains(got, "a ship that is gone") {
		t.Errorf("%q", got)
	}
}
