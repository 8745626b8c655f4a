//go:build long

package trial_test

import (
	"testing"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/trial"
)

// The version of Claude Code that ocaptain is tested with keeps every clause.
func TestTestedVersion(t *testing.T) {
	r, err := trial.Run(t.Context(), "/tmp", trial.Order{Agent: "claude", Program: claudetest.Binary(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if !f.Held {
			t.Errorf("%s: %s", f.Clause, f.Why)
		}
	}
	if !r.Sails() || r.Version != claudetest.Version {
		t.Errorf("the report is %+v", r)
	}
	t.Logf("%s; %q", r.Took, r.Unasked)
}
