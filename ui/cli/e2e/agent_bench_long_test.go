//go:build long

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ocaptain/fleet/agent/claudetest"
)

// benched is the result of a run, as "agent bench" prints it.
type benched struct {
	Name    string         `json:"name"`
	Tasks   int            `json:"tasks"`
	PerTask map[string]int `json:"perTask"`
}

// TestAgentBench counts the tokens of whole voyages. They must be at most 60 % of the tokens in testdata, which were counted when a
// ship had a single conversation and all tools of Claude Code.
func TestAgentBench(t *testing.T) {
	t.Parallel()
	claudetest.Binary(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	c := newCaptain(t, "XDG_CACHE_HOME="+cache)
	cmd := exec.CommandContext(t.Context(), c.program, "agent", "bench", "--json")
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = c.home, c.env, &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	raw, err := os.ReadFile(filepath.Join("testdata", "bench-before.json"))
	if err != nil {
		t.Fatal(err)
	}
	var before, after []benched
	if err := errors.Join(json.Unmarshal(raw, &before), json.Unmarshal(out, &after)); err != nil {
		t.Fatal(err)
	}
	if len(before) != len(after) {
		t.Fatalf("%d runs, want %d", len(after), len(before))
	}
	for i, was := range before {
		is := after[i]
		if is.Name != was.Name || is.Tasks != was.Tasks || is.PerTask["all"]*10 > was.PerTask["all"]*6 {
			t.Errorf("it was %+v, and is %+v", was, is)
		}
	}
}
