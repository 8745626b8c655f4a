package reader

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Indexes of the events of task 3 in the lines of reviewed.
const (
	firstClaim = 4 + iota
	firstHandIn
	firstCheck
	firstReview
	sentBack
	secondClaim
	secondHandIn
	secondCheck
	secondReview
	approval
	completion
)

// reviewed makes a journal in which task 3 is sent back once, and then approved.
func reviewed(t *testing.T) *record {
	r := sound(t)
	last := r.lines[firstClaim+1:]
	r.lines = r.lines[: firstClaim+1 : firstClaim+1]
	r.event("task.handed-in", "3", "c1")
	r.event("task.checked", "3", "c1")
	r.eventOf("validator-0", 2, "task.claimed", "3", "")
	r.lines = append(r.lines, `{"kind":"task.requeued","data":{"task":"3","owner":"validator-0","epoch":2,"back":true,"for":"ship-0"}}`)
	r.eventOf("ship-0", 3, "task.claimed", "3", "")
	r.eventOf("ship-0", 3, "task.handed-in", "3", "c2")
	r.event("task.checked", "3", "c2")
	r.eventOf("validator-0", 4, "task.claimed", "3", "")
	r.eventOf("validator-0", 4, "task.approved", "3", "")
	r.lines = append(r.lines, last...)
	edit(completion, `"epoch":1`, `"epoch":3`)(r)
	return r
}

func edit(place int, old, is string) func(*record) {
	return func(r *record) { r.lines[place] = strings.Replace(r.lines[place], old, is, 1) }
}

func without(place int) func(*record) {
	return func(r *record) { r.lines = slices.Delete(r.lines, place, place+1) }
}

// TestReviewed: Order accepts work that came to the branch by review, and finds what is wrong with other ways.
func TestReviewed(t *testing.T) {
	for _, c := range []struct {
		name    string
		falsify func(*record)
		want    string // "" for nothing
	}{
		{"sound", func(*record) {}, ""},
		{"never approved", without(approval), "completed, and what was handed in is not approved"},
		{"what came back was approved", func(r *record) {
			approved := strings.Replace(r.lines[approval], `"epoch":4`, `"epoch":2`, 1)
			r.lines = slices.Insert(slices.Delete(r.lines, approval, approval+1), sentBack, approved)
		}, "completed, and what was handed in is not approved"},
		{"completed by the validator", edit(completion, `"owner":"ship-0","epoch":3`, `"owner":"validator-0","epoch":4`), `completed by validator-0 with epoch 4, and was handed in by "ship-0" with 3`},
		{"completed with the claim that was sent back", edit(completion, `"epoch":3`, `"epoch":1`), "completed by ship-0 with epoch 1, and was handed in"},
		{"handed in twice", edit(sentBack, `"back":true,`, ""), "handed in twice, the second time with commit c2"},
		{"handed in by another", edit(secondHandIn, "ship-0", "ship-1"), `handed in by ship-1 with epoch 3, and is claimed by "ship-0" with 3`},
		{"handed in without a claim", without(secondClaim), `handed in by ship-0 with epoch 3, and is claimed by "validator-0"`},
		{"approved by another", edit(approval, "validator-0", "validator-1"), "approved by validator-1 with epoch 4"},
		{"approved without a claim", without(secondReview), `approved by validator-0 with epoch 4, and is claimed by ""`},
		{"approved after it came back", edit(approval, `"task.approved"`, `"task.requeued"`), "completed, and what was handed in is not approved"},
		{"something else is checked", edit(secondCheck, "c2", "c1"), "checked with commit c1, which is not in review"},
		{"claimed once it was approved", func(r *record) {
			r.lines[approval], r.lines[secondReview] = r.lines[secondReview], r.lines[approval]
		}, "claimed after it was approved"},
		{"handed in again at the end", func(r *record) { r.eventOf("ship-0", 3, "task.handed-in", "3", "c3") }, "handed in after it was completed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reviewed(t)
			c.falsify(r)
			wrong := strings.Join(r.check(nil), "\n")
			if c.want == "" && wrong != "" || !strings.Contains(wrong, c.want) {
				t.Errorf("%q, want %q", wrong, c.want)
			}
		})
	}
}

// TestReviewRestated: Order goes on from a restatement that was written while task 3 was in review.
func TestReviewRestated(t *testing.T) {
	for _, c := range []struct {
		status, owner, review string
		from                  int // index of the first line that follows the restatement
		want                  string
	}{
		{"pending", "", "", secondCheck, ""},
		{"in_progress", "validator-0", "", approval, ""},
		{"pending", "", `,"review":{"approved":true}`, completion, ""},
		{"pending", "", "", completion, "what was handed in is not approved"},
		{"pending", "", "", secondHandIn, "handed in twice"},
	} {
		r := reviewed(t)
		follows := r.lines[c.from:]
		r.restate(2)
		r.lines[3] = fmt.Sprintf(`{"kind":"task.restored","data":{"state":{"id":"3","status":%q,"owner":%q,`+
			`"store":{"epoch":4,"handIn":{"owner":"ship-0","epoch":3,"commit":"c2"%s}}}}}`, c.status, c.owner, c.review)
		r.lines = append(r.lines, follows...)
		wrong := strings.Join(r.check(nil), "\n")
		if c.want == "" && wrong != "" || !strings.Contains(wrong, c.want) {
			t.Errorf("%s %s: %q, want %q", c.status, c.owner, wrong, c.want)
		}
	}
}
