package hook

import (
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/agent"
)

// FuzzHookClaim feeds a hook any payload: it must not crash, and must let nothing through that was not granted. All
// that it lets through must be a plain claim.
func FuzzHookClaim(f *testing.F) {
	for _, s := range []string{
		`{"hook_event_name":"PreToolUse","tool_name":"TaskUpdate","tool_input":{"taskId":"1","status":"in_progress"}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"TaskUpdate","tool_input":{"taskId":"2","status":"completed","metadata":{"summary":3}}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"TaskCreate","tool_input":{"subject":"x"}}`,
		`{"hook_event_name":"PreToolUse","tool_input":null}`, `[]`, `{`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		dir := aboardtest.NewShip(t, nil)
		r := fireWithin(t, 5*time.Millisecond, dir, agent.HookClaim, in) // no helm grants anything here
		if word, _, _ := r.Decision(t); word != "deny" {
			t.Fatalf("%q gives %+v", in, r)
		}
	})
}
