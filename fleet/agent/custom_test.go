package agent

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The value of a placeholder stays one argument, whatever it contains, and is not replaced again.
func TestCustomCommand(t *testing.T) {
	set := Setup{Home: t.TempDir(), Workspace: "/w", Session: "s-1", Model: "m", First: "do {session} $(rm -rf ~) \"x\"\nend"}
	c := Custom{Name: "mine", Command: []string{"coder", "--in={workspace}", "{prompt}"}, Resume: []string{"coder", "-r", "{session}", "{prompt}"}}
	a, err := c.AsAgent()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Prepare(set); err != nil {
		t.Fatal(err)
	}
	if got := a.Command(set); !slices.Equal(got.Args, []string{"coder", "--in=/w", set.First}) || got.Stdin != "" {
		t.Errorf("got %+v", got)
	}
	set.Resume = a.Resumable(set.Home, set.Session)
	if got := a.Command(set); !slices.Equal(got.Args, []string{"coder", "-r", "s-1", set.First}) {
		t.Errorf("got %+v", got)
	}

	if err := os.MkdirAll(filepath.Join(set.Home, ".ocaptain"), 0o700); err != nil {
		t.Fatal(err)
	}
	set.Resume = false
	c = Custom{Name: "mine", Command: []string{"coder", "@{prompt}"}, Prompt: PromptFile}
	if a, err = c.AsAgent(); err != nil {
		t.Fatal(err)
	}
	if err := a.Prepare(set); err != nil {
		t.Fatal(err)
	}
	file := strings.TrimPrefix(a.Command(set).Args[1], "@")
	if raw, err := os.ReadFile(file); err != nil || string(raw) != set.First {
		t.Errorf("the file holds %q, %v", raw, err)
	}
	if a.Resumable(set.Home, "s-1") {
		t.Error("it cannot take up a session")
	}

	c = Custom{Name: "mine", Command: []string{"coder", "{model}"}, Prompt: PromptStdin}
	if a, err = c.AsAgent(); err != nil {
		t.Fatal(err)
	}
	if got := a.Command(set); got.Stdin != set.First {
		t.Errorf("got %+v", got)
	}
	set.Model = ""
	if err := a.Prepare(set); err == nil || !strings.Contains(err.Error(), "--model") {
		t.Errorf("without a model: %v", err)
	}
	if a, err = Find("mine", &Custom{Name: "mine"}); err == nil {
		t.Errorf("a definition without a command made %+v", a)
	}
}

// The words of an install command stay separate words, and the definition survives its way to the ship.
func TestCustomInstall(t *testing.T) {
	c := Custom{Name: "mine", Command: []string{"x", "{prompt}"}, Version: []string{"true"}, Install: []string{"printf", "%s", "a b'$HOME;`id`\n"}}
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Custom
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	a, err := back.AsAgent()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", a.Install)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != c.Install[2] {
		t.Errorf("it printed %q, %v", out, err)
	}
}

// The command of every agent that takes turns asks no questions, reads the prompt from standard input, and resumes
// the session.
func TestTurnCommands(t *testing.T) {
	set := Setup{Home: "/h", Session: "0cb916db-26aa-40f2-86b5-1ba81b225fd2", First: "a prompt", Model: "m", Secrets: map[string]string{"OPENAI_API_KEY": "k"}}
	tried := map[string]bool{}
	for _, tt := range []struct {
		agent       Agent
		first, next string
	}{
		{codex, "codex exec --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check --json -c allow_login_shell=false -c features.shell_snapshot=false -c features.goals=false -c features.sleep_tool=false --model m -", "codex exec resume --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check --json -c allow_login_shell=false -c features.shell_snapshot=false -c features.goals=false -c features.sleep_tool=false --model m 0cb916db-26aa-40f2-86b5-1ba81b225fd2 -"},
		{gemini, "gemini --yolo --skip-trust --output-format stream-json --model m --session-id ", "gemini --yolo --skip-trust --output-format stream-json --model m --resume "},
		{opencode, "opencode run --auto --format json --model m", "opencode run --auto --format json --model m --session "},
		{copilot, "copilot --allow-all --no-ask-user", "--resume=0cb916db"},
		{amp, "amp --no-archive-after-execute --no-ide --settings-file /h/.ocaptain/amp-settings.json --stream-json --mode m --execute", "amp threads continue 0cb916db"},
	} {
		tried[tt.agent.Name] = true
		for resume, want := range map[bool]string{false: tt.first, true: tt.next} {
			set.Resume = resume
			c := tt.agent.Command(set)
			if line := strings.Join(c.Args, " "); !strings.Contains(line, want) || strings.Contains(line, "a prompt") {
				t.Errorf("%s: %s", tt.agent.Name, line)
			}
			if c.Stdin != "a prompt" {
				t.Errorf("%s reads %q", tt.agent.Name, c.Stdin)
			}
		}
	}
	if codex.Command(set).Env["CODEX_API_KEY"] != "k" {
		t.Error("codex does not get the key")
	}
	for _, a := range all {
		if a.Prepare == nil || a.Command == nil || a.Resumable == nil {
			t.Errorf("%s has no Prepare, Command or Resumable, and every start calls them; Prepare is nothing for one that must find no file", a.Name)
		}
		if a.Turns && !tried[a.Name] {
			t.Errorf("no case of this test starts %s: add one with its commands", a.Name)
		}
		if a.Packaged && a.Tested == "" {
			t.Errorf("packages/packages.go has no %s: add the archives of npm and their digests", a.Name)
		}
		if a.Turns && (a.Talks || a.Hooks || !a.Finishes || a.Read == nil || a.Check("1.2.3\n") != nil || a.Check("") == nil) {
			t.Errorf("%s: %+v", a.Name, a)
		}
	}
}
