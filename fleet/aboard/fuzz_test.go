package aboard

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// Whatever a hook is fed, it neither breaks nor lets through what was not granted,
// and what it lets through is a plain claim.
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
		began := time.Now()
		r := fireWithin(t, 5*time.Millisecond, dir, agent.HookClaim, in) // nobody grants anything
		if word, _, _ := r.decision(t); word != "deny" {
			t.Fatalf("%q gives %+v", in, r)
		}
		if time.Since(began) > 5*time.Second {
			t.Fatal("it took too long")
		}
	})
}

// A message keeps its text and loses all that could act as keys.
func FuzzTypable(f *testing.F) {
	f.Add("hello\r\nworld\x1b[201~\x03")
	f.Fuzz(func(t *testing.T, in string) {
		out := typable(in)
		if strings.ContainsFunc(out, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }) {
			t.Fatalf("%q became %q", in, out)
		}
		if typable(out) != out {
			t.Fatalf("%q is not stable", in)
		}
	})
}

// Helm's answers and news are taken in whatever they hold.
func FuzzBoard(f *testing.F) {
	f.Add(`{"full":true,"tasks":[{"id":"1","status":"pending"}]}`)
	f.Add(`{"more":true,"full":true,"tasks":[{"id":"../x"}]}`)
	f.Fuzz(func(t *testing.T, in string) {
		var u proto.TaskUpdate
		if json.Unmarshal([]byte(in), &u) != nil {
			return
		}
		b := newBoard("ship-0")
		if _, err := b.update(u); err != nil {
			t.Fatal(err)
		}
		if _, err := b.update(proto.TaskUpdate{Full: true, Tasks: []tasks.Task{{ID: "1"}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.held(t.Context(), shipdir.HeldRequest{Task: "1"}); err != nil {
			t.Fatal(err)
		}
	})
}
