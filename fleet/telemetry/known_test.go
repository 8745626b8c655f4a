package telemetry

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/telemetry/usage"
)

// TestKnownAgents sums what the agents themselves have exported, recorded with a model on this machine: each answer was served for 100
// input tokens, 10 of them cached, and 20 output tokens. Each agent ran two tools. A second delivery changes nothing, and no contents are
// stored.
func TestKnownAgents(t *testing.T) {
	for _, tt := range []struct {
		agent    string
		requests int64
		models   string
	}{
		{"codex", 3, "gpt-5"},
		{"gemini", 3, "gemini-2.5-flash"},
		{"opencode", 4, "gpt-4.1 gpt-5.4-nano"}, // it also asks for a title
	} {
		t.Run(tt.agent, func(t *testing.T) {
			var sums usage.Sums
			source := ship1
			source.Task = func(time.Time) string { return "7" }
			for range 2 {
				for line, err := range readLines(filepath.Join("testdata", tt.agent+".jsonl"), 0) {
					if err != nil {
						t.Fatal(err)
					}
					e, ok, err := decodeLine(line)
					if !ok || err != nil {
						t.Fatal(err)
					}
					e.dropContents()
					if text, err := e.line(); err != nil || strings.Contains(string(text), "echo hi") || strings.Contains(string(text), "You are") {
						t.Errorf("it tells of contents: %s, %v", text, err)
					}
					e.stamp(source)
					e.addTo(&sums)
				}
			}
			used := usage.Tokens{Input: 90, Output: 20, CacheRead: 10}
			var want usage.Tokens
			for range tt.requests {
				want = usage.Tokens{Input: want.Input + used.Input, Output: want.Output + used.Output, CacheRead: want.CacheRead + used.CacheRead}
			}
			got := sums.Total()
			if got.Tokens != want || got.RequestTokens != want || got.Requests != tt.requests || got.Tools != 2 || got.Cost != 0 || got.Unpriced != want.All() {
				t.Errorf("it sums %+v", got)
			}
			if c := sums.Count(); c.Summed != tt.requests+2 || c.Again != c.Summed || c.Late != 0 || c.Invalid != 0 {
				t.Errorf("it counts %+v", c)
			}
			var models []string
			for _, r := range sums.By(func(k usage.Key) usage.Key { return usage.Key{Model: k.Model, Task: k.Task} }) {
				if r.Task != "7" {
					t.Errorf("%+v counts for no task", r)
				}
				if r.Totals.Requests > 0 {
					models = append(models, r.Model)
				}
			}
			if got := strings.Join(models, " "); got != tt.models {
				t.Errorf("the models are %q", got)
			}
			minutes := int64(0)
			for _, n := range sums.State().Ships["ship-1"].Minutes {
				minutes += n
			}
			if minutes != want.All() {
				t.Errorf("the minutes have %d", minutes)
			}
		})
	}
}
