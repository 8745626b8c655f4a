package taskpane

import (
	"strings"
	"testing"

	"ocaptain/ui/dash/standing/standingtest"
)

// inReview returns a pane with work in every step of review.
func inReview(m Mode, id string) *Pane {
	p := showing(standingtest.InReview())
	p.SetMode(m)
	p.Select(id)
	return p
}

// TestReviewIsCounted counts work in review, and lists it by standing.
func TestReviewIsCounted(t *testing.T) {
	p := inReview(List, "4")
	want(t, p, "5 3 4 8 9 6 10 1 2 7")
	if got := p.Info(); !strings.HasPrefix(got, "3P 1W 3R 3D") {
		t.Errorf("counted as %q", got)
	}
}
