package logins

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/agent"
	"ocaptain/ui/cli/config"
)

func TestTokenForms(t *testing.T) {
	claude, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		env  []string
		want string // variable, or part of the error
	}{
		{[]string{"CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-abc", "ANTHROPIC_API_KEY=sk-ant-api03-abc"}, "CLAUDE_CODE_OAUTH_TOKEN"},
		{[]string{"CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-abc", "ANTHROPIC_AUTH_TOKEN=gateway-1", "ANTHROPIC_BASE_URL=http://127.0.0.1"}, "ANTHROPIC_AUTH_TOKEN"},
		{[]string{"CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-abc", "ANTHROPIC_BASE_URL=http://127.0.0.1"}, "CLAUDE_CODE_OAUTH_TOKEN"},
		{[]string{"ANTHROPIC_API_KEY=sk-ant-fake"}, "ANTHROPIC_API_KEY"},
		{[]string{"CLAUDE_CODE_OAUTH_TOKEN=sk-ant-api03-abc"}, "belongs into ANTHROPIC_API_KEY"},
		{[]string{"ANTHROPIC_API_KEY=sk-ant-oat01-abc"}, "belongs into CLAUDE_CODE_OAUTH_TOKEN"},
		{[]string{`ANTHROPIC_API_KEY="sk-ant-abc"`}, "quotes"},
		{[]string{"ANTHROPIC_API_KEY=short"}, "too short"},
		{[]string{"ANTHROPIC_API_KEY="}, "cannot log in"},
		{[]string{"CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-abc\n"}, "line ends"},
		{[]string{"CLAUDE_CODE_OAUTH_TOKEN=eyJhbGciabc"}, "does not begin with sk-ant-oat"},
		{[]string{"ANTHROPIC_API_KEY=sk-proj-abcdefgh"}, "a key of something else"},
		{[]string{"ANTHROPIC_API_KEY=sk-ant-admin01-abc"}, "an admin key"},
		{[]string{"ANTHROPIC_API_KEY=any-form-abc", "ANTHROPIC_BASE_URL=http://127.0.0.1"}, "ANTHROPIC_API_KEY"},
		{[]string{"ANTHROPIC_API_KEY=any form abc", "ANTHROPIC_BASE_URL=http://127.0.0.1"}, "has spaces"},
	} {
		c, err := config.Load(config.Sources{Environ: tt.env})
		if err != nil {
			t.Fatal(err)
		}
		secrets, wrong := OfAgent(claude, c)
		if wrong != nil {
			if !strings.Contains(wrong.Error(), tt.want) || strings.Contains(wrong.Error()+wrong.Hint, "abc") {
				t.Errorf("%v: %v", tt.env, wrong)
			}
			continue
		}
		if got := slices.Collect(maps.Keys(secrets)); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%v: %v", tt.env, got)
		}
		env, _ := Environ(claude, c, tt.env)
		for _, kv := range env {
			if name, _, _ := strings.Cut(kv, "="); name != tt.want && slices.Contains(claude.Keys, name) {
				t.Errorf("%v: here it gets %s too, which it might prefer", tt.env, name)
			}
		}
	}
}

// Only a provider gets the provider's variables, and agents get their own variables from no directory that somebody
// else may have written.
func TestAgentsVariables(t *testing.T) {
	cwd := t.TempDir()
	if err := os.WriteFile(filepath.Join(cwd, ".env"), []byte("ANTHROPIC_BASE_URL=https://evil.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var environ []string
	for _, v := range config.Variables() {
		if v.Name != "ANTHROPIC_BASE_URL" {
			environ = append(environ, v.Name+"=http://127.0.0.1:1")
		}
	}
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{environ, ""},
		{append(environ, "ANTHROPIC_BASE_URL=https://gateway.example"), "https://gateway.example"},
	} {
		loaded, err := config.Load(config.Sources{Dir: t.TempDir(), Cwd: cwd, Environ: c.environ})
		if err != nil {
			t.Fatal(err)
		}
		got := OpenEnv(loaded)
		if got["ANTHROPIC_BASE_URL"] != c.want {
			t.Errorf("got %q", got)
		}
		for name := range got {
			if !strings.HasSuffix(name, "_BASE_URL") { // addresses of models are the only exception
				t.Errorf("agents get %s", name)
			}
		}
	}
}
