package aboard

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// The test binary is also the ocaptain of its ships.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "aboard" {
		os.Exit(beAboard(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "fake-agent" {
		os.Exit(fakeAgent())
	}
	// It keeps Claude Code from using colours, by which a hint and a draft are told apart. Ships
	// do not have it.
	_ = os.Unsetenv("CI")
	goleak.VerifyTestMain(m)
}

func beAboard(args []string) int {
	ctx, dir := context.Background(), os.Getenv("HOME")
	var err error
	switch args[0] {
	case "run":
		err = Run(ctx, dir)
	case "serve":
		err = Serve(ctx, dir, os.Stdin, os.Stdout)
	case "hook":
		if record := filepath.Join(dir, "prompts"); args[1] == "UserPromptSubmit" && exists(record) {
			return Hook(ctx, dir, args[1], recorded(record), os.Stdout, os.Stderr)
		}
		return Hook(ctx, dir, args[1], os.Stdin, os.Stdout, os.Stderr)
	case "script":
		err = Script(ctx, dir, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// seen returns the data of the events of a kind that helm has.
func seen[T any](h *fakeHelm, kind string) []T {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []T
	for _, e := range h.events {
		if e.Kind == kind {
			var v T
			if err := json.Unmarshal(e.Data, &v); err != nil {
				h.t.Errorf("%s event: %v", kind, err)
			}
			all = append(all, v)
		}
	}
	return all
}

// states returns the words of the states that helm heard of.
func (h *fakeHelm) states() string {
	var words []string
	for _, s := range seen[proto.AgentState](h, proto.KindAgentState) {
		words = append(words, string(s.State))
	}
	return strings.Join(words, " ")
}

// reply is what a hook did.
type reply struct {
	code        int
	out, stderr string
}

// fire runs a hook with a payload.
func fire(t *testing.T, dir, event string, payload any) reply {
	t.Helper()
	return fireWithin(t, 10*time.Second, dir, event, payload)
}

func fireWithin(t *testing.T, limit time.Duration, dir, event string, payload any) reply {
	t.Helper()
	raw, ok := payload.(string)
	if !ok {
		b, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		raw = string(b)
	}
	var out, stderr strings.Builder
	code := hookWithin(t.Context(), limit, shipdir.Dir(dir), event, strings.NewReader(raw), &out, &stderr)
	return reply{code, out.String(), stderr.String()}
}

// decision is what the claim hook printed.
func (r reply) decision(t *testing.T) (word, reason string, input map[string]any) {
	t.Helper()
	var o struct {
		Specific struct {
			Event    string         `json:"hookEventName"`
			Decision string         `json:"permissionDecision"`
			Reason   string         `json:"permissionDecisionReason"`
			Input    map[string]any `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(r.out), &o); err != nil || o.Specific.Event != "PreToolUse" {
		t.Fatalf("the hook printed %q (%v)", r.out, err)
	}
	return o.Specific.Decision, o.Specific.Reason, o.Specific.Input
}

// update is the payload of a TaskUpdate.
func update(input map[string]any) map[string]any {
	return map[string]any{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "TaskUpdate", "tool_input": input}
}

func task(id string) tasks.Task {
	return tasks.Task{ID: id, Subject: "task " + id, Status: tasks.Pending}
}
