//go:build long

package trial_test

import (
	"strings"
	"testing"

	"ocaptain/fleet/trial"
)

// Each doctored version differs from the tested version in one point, and the trial finds that point.
func TestDoctoredVersions(t *testing.T) {
	for name, tt := range map[string]struct {
		edit   string // script for sed that edits the settings which the agent is given
		before string // shell command that runs before the agent
		clause string
		why    string
	}{
		"ignores denials": {
			edit:   `s/"PreToolUse"/"PostToolUse"/`,
			clause: "a claim that is denied has no effect", why: "the hook was not asked",
		},
		"has no task tools": {
			edit: `/ENABLE_TODO_TOOLS/d`, before: "unset CLAUDE_CODE_ENABLE_TODO_TOOLS",
			clause: "the task tools are there", why: "not offered TaskList, TaskGet, TaskUpdate, TaskCreate",
		},
		"shows a dialog": {
			edit:   `s/"skipDangerousModePermissionPrompt": true/"skipDangerousModePermissionPrompt": false/`,
			clause: "it goes to work without a dialog", why: "Bypass Permissions",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := trial.Run(t.Context(), "/tmp", trial.Order{Agent: "claude", Program: doctored(t, tt.edit, tt.before)})
			if err != nil {
				t.Fatal(err)
			}
			if r.Sails() {
				t.Errorf("it may sail: %+v", r)
			}
			if first := r.Broken(trial.Must)[0]; first.Clause != tt.clause || !strings.Contains(first.Why, tt.why) {
				t.Errorf("it is refused as %q: %s", first.Clause, first.Why)
			}
		})
	}
}
