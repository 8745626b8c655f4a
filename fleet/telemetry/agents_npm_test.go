//go:build long

package telemetry

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/otherapi"
	"ocaptain/tasks/eventually"
)

// TestNPMAgents lets the real other agents export to a ship's receiver, started as on ships: the sums equal what their services served,
// and no prompts are stored. Their programs have 250 MB.
func TestNPMAgents(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	shared := filepath.Join(cache, "ocaptain", "agents")
	if err := os.MkdirAll(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"codex", "gemini", "opencode"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model, err := otherapi.Start(func(talk otherapi.Talk) otherapi.Step {
				if len(talk.Results) > 1 {
					return otherapi.Step{Say: "It is done."}
				}
				return otherapi.Step{Say: "I begin.", Run: []string{"echo something-said", "exit 3"}[len(talk.Results)]}
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(model.Close)
			dir := t.TempDir()
			runAgent(t, name, shared, model.URL, serve(t, NewSpoolReceiver(openSpool(t, dir), "the-key", false)))
			store := openStore(t, t.TempDir())
			at := usage.Delivered{}
			eventually.Holds(t, "all that was served", func() bool {
				at = deliverAll(t, dir, at, store)
				served := 0
				for _, path := range model.Paths() {
					if strings.Contains(path, "/responses") || strings.Contains(path, "enerateContent") {
						served++
					}
				}
				n := int64(served)
				want := usage.Tokens{Input: 90 * n, Output: 20 * n, CacheRead: 10 * n}
				var got usage.Totals
				store.View(func(s *usage.Sums) { got = s.Total() })
				return n > 2 && got.Tokens == want && got.RequestTokens == want && got.Requests == n && got.Tools == 2 && got.Unpriced == want.All()
			})
			for line, err := range readLines(lines(store.dir, 1), 0) {
				if err != nil || strings.Contains(string(line), "something-said") || strings.Contains(string(line), "You are ") {
					t.Errorf("stored …%.400s, %v", line[max(0, strings.Index(string(line), "something-said")-300):], err)
				}
			}
		})
	}
}

// runAgent runs an agent for one turn.
func runAgent(t *testing.T, name, shared, model, receiver string) {
	t.Helper()
	a, err := agent.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Program("x86_64")
	if err != nil {
		t.Fatal(err)
	}
	program, err := p.Get(t.Context(), shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	const key = "only-for-tests-0123456789"
	home := t.TempDir()
	set := agent.Setup{
		Home: home, Session: "0cb916db-26aa-40f2-86b5-1ba81b225fd2", First: "Begin.",
		Model:     map[string]string{"codex": "gpt-5", "gemini": "gemini-2.5-flash", "opencode": "openai/gpt-4.1"}[name],
		Env:       map[string]string{"OPENAI_BASE_URL": model + "/v1", "GOOGLE_GEMINI_BASE_URL": model},
		Secrets:   map[string]string{"OPENAI_API_KEY": key, "GEMINI_API_KEY": key},
		Telemetry: agent.Telemetry{Endpoint: receiver, Headers: KeyHeader + "=the-key"},
	}
	if err := a.Prepare(set); err != nil {
		t.Fatal(err)
	}
	c := a.Command(set)
	cmd := exec.CommandContext(eventually.Brief(t, 2*time.Minute), program, c.Args[1:]...)
	cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(c.Stdin)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OCAPTAIN_AGENTS=" + shared}
	for _, vars := range []map[string]string{set.Telemetry.Env(), c.Env, set.Env, set.Secrets} {
		for k, v := range vars {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
