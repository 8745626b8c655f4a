package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func setup(t *testing.T) Setup {
	t.Helper()
	dir := t.TempDir()
	return Setup{
		Home: dir, Ocaptain: filepath.Join(dir, ".ocaptain", "bin", "ocaptain"), Voyage: "voyage-1", Ship: "ship-0",
		List: "voyage-1-tasks", Workspace: filepath.Join(dir, "voyage", "workspace"), First: "--begin",
		Session: "11111111-2222-4333-8444-555555555555", Secrets: map[string]string{"ANTHROPIC_API_KEY": "sk-ant-0123456789-abcdefghijklm"},
	}
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, raw)
	}
}

// The answers to the questions of a first start are merged into Claude Code's file.
func TestAnswersAreMerged(t *testing.T) {
	s := setup(t)
	path := filepath.Join(s.Home, ".claude.json")
	before := `{"userID":"u","big":12345678901234567890,"projects":{"/other":{"x":1}},"customApiKeyResponses":{"approved":["old"]}}`
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, the answers are there already
		if err := prepareClaude(s); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), "12345678901234567890") {
		t.Error("a number was changed")
	}
	var got struct {
		UserID     string
		Onboarding bool `json:"hasCompletedOnboarding"`
		Projects   map[string]map[string]any
		Keys       struct{ Approved, Rejected []string } `json:"customApiKeyResponses"`
	}
	read(t, path, &got)
	if got.UserID != "u" || !got.Onboarding || got.Projects["/other"]["x"] != 1.0 ||
		got.Projects[s.Workspace]["hasTrustDialogAccepted"] != true ||
		!slices.Equal(got.Keys.Approved, []string{"old", "23456789-abcdefghijklm"[2:]}) || got.Keys.Rejected == nil {
		t.Errorf("it became %s", raw)
	}
}

// A damaged file is moved aside and not lost.
func TestDamagedAnswers(t *testing.T) {
	s := setup(t)
	path := filepath.Join(s.Home, ".claude.json")
	if err := os.WriteFile(path, []byte(`{"a":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := prepareClaude(s); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	read(t, path, &got)
	if got["hasCompletedOnboarding"] != true {
		t.Errorf("it became %v", got)
	}
	if raw, err := os.ReadFile(path + ".unreadable"); err != nil || string(raw) != `{"a":` {
		t.Errorf("the old one is %q, %v", raw, err)
	}
}

// The settings keep the workspace from turning hooks off, and hold no secret.
func TestSettings(t *testing.T) {
	s := setup(t)
	if err := prepareClaude(s); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Disable *bool `json:"disableAllHooks"`
		Quiet   bool  `json:"skipDangerousModePermissionPrompt"`
		Env     map[string]string
		Hooks   map[string][]struct {
			Matcher string
			Hooks   []struct {
				Type, Command string
				Timeout       int
			}
		}
	}
	path := claudeSettingsFile(s.Home)
	read(t, path, &got)
	if got.Disable == nil || *got.Disable || !got.Quiet || got.Env["CLAUDE_CODE_TASK_LIST_ID"] != "voyage-1-tasks" {
		t.Errorf("settings are %+v", got)
	}
	if m := got.Hooks["PreToolUse"]; len(m) != 2 || m[0].Matcher != "TaskUpdate|TaskCreate" || m[1].Matcher != "" {
		t.Errorf("PreToolUse is %+v", m)
	}
	for event, entries := range got.Hooks {
		for _, e := range entries {
			for _, h := range e.Hooks {
				word := h.Command[strings.LastIndex(h.Command, "aboard hook ")+len("aboard hook "):]
				word = strings.FieldsFunc(word, func(r rune) bool { return r == ';' || r == ' ' })[0]
				l := HookLimits(word)
				if h.Type != "command" || h.Timeout != int(l.Wait.Seconds()) || l.Own >= l.Wait {
					t.Errorf("%s: %+v with limits %+v", event, h, l)
				}
				if IsGate(word) && (l.Own >= l.Kill || l.Kill >= l.Wait || !strings.Contains(h.Command, "|| exit 2")) {
					t.Errorf("the gate %s is open: %+v with limits %+v", word, h, l)
				}
			}
		}
	}
	if raw, _ := os.ReadFile(path); strings.Contains(string(raw), "sk-ant") {
		t.Error("the key is in the settings")
	}
}

// The command line holds no secret. It resumes a session only if it exists.
func TestCommandLine(t *testing.T) {
	s := setup(t)
	c := claudeCommand(s)
	want := []string{
		"claude", "--dangerously-skip-permissions", "--settings", claudeSettingsFile(s.Home), "--name", "ship-0",
		"--session-id", s.Session, "--", "--begin",
	}
	if !slices.Equal(c.Args, want) {
		t.Errorf("args are %q", c.Args)
	}
	for k, v := range c.Env {
		if strings.Contains(v, "sk-ant") || k == "IS_SANDBOX" {
			t.Errorf("%s=%s", k, v)
		}
	}
	s.Root, s.Resume = true, true
	c = claudeCommand(s)
	if c.Env["IS_SANDBOX"] != "1" || !slices.Contains(c.Args, "--resume") || slices.Contains(c.Args, "--begin") {
		t.Errorf("resumed with %q", c.Args)
	}
	if claudeResumable(s.Home, s.Session) || claudeResumable(s.Home, "../../etc/passwd") || claudeResumable(s.Home, "") {
		t.Error("there is nothing to resume")
	}
}

func TestVersion(t *testing.T) {
	for out, ok := range map[string]bool{"2.1.329 (Claude Code)\n": true, "2.1.329": true, "2.1.3290": false, "2.1.328 (Claude Code)": false, "": false} {
		if err := claude.Check(out); (err == nil) != ok {
			t.Errorf("%q: %v", out, err)
		}
	}
}

func TestPrompt(t *testing.T) {
	b := Brief{Voyage: "voyage-1", Objective: "Make it `safe`.\n", Branch: "voyage-1", Ships: 3, Spec: true, Agents: []Agent{claude}}
	got := Prompt(b)
	for _, want := range []string{"# You are a ship of voyage-1\n\n3 coding agents", "## Objective\n\nMake it `safe`.\n", "artifacts/spec.md", "`TaskUpdate` with `status: \"in_progress\"`"} {
		if !strings.Contains(got, want) {
			t.Errorf("the prompt misses %q", want)
		}
	}
	if strings.Contains(got, "ocaptain task") || strings.Contains(got, "\n\n\n") || strings.Contains(got, "{{") {
		t.Errorf("the prompt is\n%s", got)
	}
	b.Agents, b.Ships, b.Objective = []Agent{claude, script}, 1, ""
	if got = Prompt(b); !strings.Contains(got, "ocaptain task claim") || strings.Contains(got, "## Objective") || strings.Contains(got, "\n\n\n") || strings.Contains(got, "{{") {
		t.Errorf("the prompt is\n%s", got)
	}
	b.Agents = []Agent{codex}
	if got = Prompt(b); strings.Contains(got, "ocaptain task wait") || strings.Contains(got, "TaskUpdate") {
		t.Errorf("the prompt of an agent that takes turns is\n%s", got)
	}
}
