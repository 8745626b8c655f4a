package planmake_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/ui/planmake"
)

// bench returns an order for the real Claude Code with the test's brain.
func bench(t *testing.T, brain loopback.Brain) (planmake.Order, *claudetest.API) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	api := claudetest.Start(t, brain)
	claude, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(base, "repo")
	put(t, filepath.Join(source, "main.go"), "package main\n")
	return planmake.Order{
		Goal: "add \"auth\" & more", Agent: claude, Program: claudetest.Binary(t),
		Env:    claudetest.Env(filepath.Join(base, "home"), api, "sk-ant-test-0123456789-abcdefghij", "CLAUDECODE=1"),
		Source: source, Repo: "../../repo", Dir: filepath.Join(base, "plans", "add-auth"), Tries: 3,
	}, api
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// good is a plan without a defect.
var good = map[string]string{
	"voyage.json":  `{"name":"add-auth","repo":"../../repo","recommended_ships":1,"max_parallel_width":1,"total_tasks":2,"verify":{"fix":1}}`,
	"spec.md":      "# Auth\n\n## Objective\n\nNobody comes aboard who is not known.\n",
	"verify.sh":    "#!/bin/bash\nset -eu\ngrep -q login main.go\n",
	"tasks/1.json": `{"id":"1","subject":"Add the store","description":"d","status":"pending","blocks":["2"],"blockedBy":[]}`,
	"tasks/2.json": `{"id":"2","subject":"Add the login","description":"d","status":"pending","blocks":[],"blockedBy":["1"]}`,
}

// draftOf returns the draft's directory from the prompt.
func draftOf(r loopback.Request) string {
	for _, p := range r.Prompts() {
		if _, rest, ok := strings.Cut(p, "Write the files of the plan below "); ok {
			dir, _, _ := strings.Cut(rest, ", named by")
			return dir
		}
	}
	return ""
}

// writes returns a reply that writes files of the draft.
func writes(r loopback.Request, files map[string]string) loopback.Reply {
	var reply loopback.Reply
	for name, text := range files {
		reply.Blocks = append(reply.Blocks, loopback.Block{
			Tool: "Write", Input: map[string]any{"file_path": filepath.Join(draftOf(r), name), "content": text},
		})
	}
	return reply
}

// with returns the good plan with one file changed.
func with(name, text string) map[string]string {
	all := map[string]string{}
	for k, v := range good {
		all[k] = v
	}
	all[name] = text
	return all
}

// planner reads a file, writes a plan, and fixes it after each defect.
func planner(first map[string]string, fixes ...map[string]string) loopback.Brain {
	return func(r loopback.Request) loopback.Reply {
		sent := 0
		for _, p := range r.Prompts() {
			sent += strings.Count(p, "The plan was checked. This is wrong with it:")
		}
		var wrote int
		for _, m := range r.Messages {
			for _, p := range m.Parts {
				if p.Type == "tool_use" && p.Tool == "Write" {
					wrote = sent // it wrote something after the newest prompt
				}
				if p.Type == "text" && m.Role == "user" && strings.Contains(p.Text, "The plan was checked.") {
					wrote = -1
				}
			}
		}
		switch {
		case r.Step() == 0:
			return loopback.Use("Read", map[string]any{"file_path": "main.go"})
		case r.Step() == 1:
			return writes(r, first)
		case wrote < 0 && sent <= len(fixes):
			return writes(r, fixes[sent-1])
		case wrote < 0 && len(fixes) > 0:
			return writes(r, fixes[len(fixes)-1])
		}
		return loopback.Say("A plan of two tasks.")
	}
}

func TestMakes(t *testing.T) {
	t.Parallel()
	o, api := bench(t, planner(
		with("voyage.json", `{"name":"add-auth","repo":"owner/other","total_tasks":2}`),
		map[string]string{"voyage.json": good["voyage.json"], "tasks/2.json": strings.Replace(good["tasks/2.json"], `["1"]`, `["1","7"]`, 1)},
		map[string]string{"tasks/2.json": good["tasks/2.json"]},
	))
	var said []string
	m, err := planmake.Make(t.Context(), o, func(s string) { said = append(said, s) })
	if err != nil {
		t.Fatal(err)
	}
	if m.Draft != "" || len(m.Defects) > 0 || len(m.Plan.Tasks) != 2 || m.Plan.Dir != o.Dir || m.Plan.Repo.Name != "../../repo" || m.Cost <= 0 {
		t.Errorf("made %+v", m)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(o.Dir), "*")); len(left) != 1 {
		t.Errorf("left %q", left)
	}
	if info, err := os.Stat(filepath.Join(o.Dir, "verify.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("verify.sh: %v", err)
	}
	if n := len(api.Sessions()); n != 1 {
		t.Errorf("%d sessions; defects go to the one that made them", n)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{
		"reads main.go", "writes tasks/1.json", "writes voyage.json", "“A plan of two tasks.”",
		"the draft has 1 error and 0 warnings, which are sent back",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q:\n%s", want, all)
		}
	}
	prompts := api.Sessions()[0].Last.Prompts()
	if first := prompts[0]; !strings.Contains(first, "add \"auth\" & more") || !strings.Contains(first, `"repo": "../../repo"`) || !strings.Contains(first, "## Objective") {
		t.Errorf("it was told %.400q", first)
	}
	if last := prompts[len(prompts)-1]; !strings.Contains(last, `there is no task "7"`) || !strings.Contains(last, "fix: ") {
		t.Errorf("at last it was told %q", last)
	}

	// An existing plan stays, unless Force moves it aside.
	if _, err := planmake.Make(t.Context(), o, nil); !errors.Is(err, planmake.ErrThere) {
		t.Errorf("a second time: %v", err)
	}
	o.Force = true
	again, err := planmake.Make(t.Context(), o, func(string) {})
	if err != nil || again.Aside == "" {
		t.Fatalf("by force: %+v, %v", again, err)
	}
	if _, err := os.Stat(filepath.Join(again.Aside, "voyage.json")); err != nil {
		t.Error(err)
	}
}

// A plan that stays wrong stays a draft, and Make reports the defects.
func TestGivesUp(t *testing.T) {
	t.Parallel()
	bad := with("tasks/1.json", strings.Replace(good["tasks/1.json"], `"blockedBy":[]`, `"blockedBy":["2"]`, 1))
	o, api := bench(t, planner(bad, map[string]string{"spec.md": good["spec.md"]}))
	o.Tries = 2
	m, err := planmake.Make(t.Context(), o, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if m.Draft != o.Dir+".draft" || m.Defects.Errors() != 1 {
		t.Errorf("made %+v", m)
	}
	if _, err := os.Stat(o.Dir); err == nil {
		t.Error("it became the plan")
	}
	sent := 0
	for _, p := range api.Sessions()[0].Last.Prompts() {
		sent += strings.Count(p, "This is wrong with it")
	}
	if sent != 2 {
		t.Errorf("defects were sent back %d times, want 2", sent)
	}
}

// If an agent cannot work, Make says why and leaves nothing behind.
func TestTrouble(t *testing.T) {
	t.Parallel()
	o, _ := bench(t, func(loopback.Request) loopback.Reply {
		return loopback.Fail(400, "invalid_request_error", "Your credit balance is too low")
	})
	m, err := planmake.Make(t.Context(), o, func(string) {})
	var trouble *agent.Failure
	if !errors.As(err, &trouble) || !strings.Contains(trouble.Text, "no credit") || m.Draft != "" {
		t.Errorf("%+v, %v", m, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(o.Dir)); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Make reports a refused login at once, with fitting advice; the agent alone would retry for minutes.
func TestRefusedLogin(t *testing.T) {
	t.Parallel()
	for variable, fix := range map[string]string{
		"ANTHROPIC_API_KEY":       "make a new key at the provider's console, set ANTHROPIC_API_KEY",
		"CLAUDE_CODE_OAUTH_TOKEN": "claude setup-token",
	} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			o, api := bench(t, func(loopback.Request) loopback.Reply {
				return loopback.Fail(401, "authentication_error", "invalid x-api-key")
			})
			o.Env = append(o.Env, "CLAUDE_CODE_MAX_RETRIES=10", "ANTHROPIC_API_KEY=", variable+"=sk-ant-oat01-only-for-tests-0123456789")
			var said []string
			m, err := planmake.Make(t.Context(), o, func(s string) { said = append(said, s) })
			trouble, ok := errors.AsType[*agent.Failure](err)
			if !ok || !strings.Contains(trouble.Text, "login of claude is refused") || !strings.Contains(trouble.Fix, fix) || m.Draft != "" {
				t.Errorf("%+v, %v", m, err)
			}
			if len(said) == 0 || !strings.Contains(said[0], "login of claude is refused") || !strings.Contains(said[0], "it asks again in ") {
				t.Errorf("it says %q", said)
			}
			if n := len(api.Log()); n > 5 {
				t.Errorf("the service was asked %d times", n)
			}
		})
	}
}

// Make reports a passing failure of the service while the agent waits.
func TestPassingFailures(t *testing.T) {
	t.Parallel()
	o, _ := bench(t, loopback.Stumble(planner(good),
		loopback.Fail(529, "overloaded_error", "Overloaded"), loopback.Fail(429, "rate_limit_error", "Slow down"), loopback.Fail(500, "api_error", "Oops")))
	o.Env = append(o.Env, "CLAUDE_CODE_MAX_RETRIES=5")
	var said []string
	if _, err := planmake.Make(t.Context(), o, func(s string) { said = append(said, s) }); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{
		"the service of claude fails now (overloaded); it asks again in ", "claude is at its usage limit (rate_limit); it asks again in ",
		"the service of claude fails now (server_error); it asks again in ", "(3 of 5)",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q:\n%s", want, all)
		}
	}
}

// ctrl-c ends the agent and removes the draft.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 10)
	plan := planner(good)
	o, _ := bench(t, func(r loopback.Request) loopback.Reply {
		reply := plan(r)
		if r.Step() == 2 {
			begun <- struct{}{}
			reply.After = time.Hour
		}
		return reply
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	m, err := planmake.Make(ctx, o, func(string) {})
	if !errors.Is(err, context.Canceled) || m.Draft != "" {
		t.Errorf("%+v, %v", m, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(o.Dir)); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestPlaces(t *testing.T) {
	o, _ := bench(t, nil)
	o.Dir, o.Force = filepath.Dir(o.Source), true
	if _, err := planmake.Make(t.Context(), o, nil); err == nil || !strings.Contains(err.Error(), "holds the repository") {
		t.Errorf("above the repository: %v", err)
	}
	o.Dir = filepath.Join(t.TempDir(), "photos")
	put(t, filepath.Join(o.Dir, "cat.jpg"), "x")
	if _, err := planmake.Make(t.Context(), o, nil); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("in place of photos: %v", err)
	}
	for goal, want := range map[string]string{
		"add auth": "add-auth", "Add „Auth“!  (OAuth2)": "add-auth-oauth2", "…": "plan",
		strings.Repeat("long words ", 20): "long-words-long-words-long-words-long", strings.Repeat("x", 99): strings.Repeat("x", 40),
	} {
		if got := planmake.Name(goal); got != want {
			t.Errorf("%q is called %q, want %q", goal, got, want)
		}
	}
}
