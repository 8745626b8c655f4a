package cli

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
)

// Without a verification command, nothing claims to have passed.
func TestVerifyWord(t *testing.T) {
	now := time.Unix(1e9, 0)
	for _, c := range []struct {
		unchecked bool
		verify    fleet.Verify
		want      string
	}{
		{false, fleet.Verify{}, "not run yet"},
		{false, fleet.Verify{Runs: 1, Passed: true, At: now}, "passed"},
		{true, fleet.Verify{Runs: 1, Passed: true, At: now}, "no command was given"},
		{false, fleet.Verify{Runs: 1, At: now, Output: "make: no rule\n"}, "make: no rule"},
	} {
		b := fleet.Board{Verify: c.verify}
		b.Voyage.Unchecked = c.unchecked
		if got := verifyWord(b, now); !strings.Contains(got, c.want) || c.unchecked && strings.Contains(got, "passed") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
