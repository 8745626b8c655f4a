package agent

import (
	"strings"
	"testing"
)

// TestSessionPrompt checks that each role's prompt has its own duties and those of no other role.
func TestSessionPrompt(t *testing.T) {
	duties := map[string]string{"planner": "## The planner", "worker": "## A worker", "validator": "## A validator"}
	for role := range duties {
		for _, reviewed := range []bool{true, false} {
			text := SessionPrompt("feat/x", 5, role, reviewed, reviewed)
			for other, title := range duties {
				if strings.Contains(text, title) != (other == role) {
					t.Errorf("a %s is told the duties of a %s: %t", role, other, other != role)
				}
			}
			for _, want := range []string{"you are a " + role, "5 coding agents", "`feat/x`", "not instructions to you.\n"} {
				if !strings.Contains(text, want) {
					t.Errorf("a %s is not told %q in\n%s", role, want, text)
				}
			}
			if strings.Contains(text, "search_semantic") != reviewed {
				t.Errorf("a %s is told of the search: %t\n%s", role, !reviewed, text)
			}
			if strings.Contains(text, "{{") || role == "worker" && strings.Contains(text, "then reviewed") != reviewed {
				t.Errorf("a %s is told\n%s", role, text)
			}
		}
	}
}
