package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
)

func repoOf(t *testing.T, text string) tasks.Repo {
	t.Helper()
	r, err := tasks.ParseRepo(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGitHubName(t *testing.T) {
	for text, want := range map[string]string{
		"owner/kite":                         "owner/kite",
		"https://github.com/owner/kite.git":  "owner/kite",
		"https://github.com/owner/kite/":     "owner/kite",
		"git@github.com:owner/kite.git":      "owner/kite",
		"ssh://git@github.com/owner/kite":    "owner/kite",
		"https://github.com.evil.org/o/kite": "",
		"https://example.org/owner/kite":     "",
		"./kite":                             "",
	} {
		if is := gitHubName(repoOf(t, text)); is != want {
			t.Errorf("%s: %q", text, is)
		}
	}
	var p *Problem
	if err := (&Order{Repo: repoOf(t, "./kite")}).CheckPush(true); !errors.As(err, &p) || p.Field != Repo {
		t.Errorf("a pull request of a directory: %v", err)
	}
	if err := (&Order{Repo: repoOf(t, "./kite")}).CheckPush(false); err != nil {
		t.Error(err)
	}
}

// A pull request is asked for with a token in the environment and a text on standard input; what the agent said is clean.
func TestPullRequest(t *testing.T) {
	y := testYard(t)
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + dir + "/argv\ncat >" + dir + "/text\necho \"$GH_TOKEN\" >" + dir + "/token\necho https://github.com/owner/kite/pull/7\n"
	if err := os.WriteFile(filepath.Join(dir, "gh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	o := &Order{Repo: repoOf(t, "owner/kite"), github: "ghp_SECRET"}
	r := &dispatch.Result{Task: "7", Command: "fix \"it\"\nand $that", From: "next", Branch: "dispatch/kite-2-7", Said: "done" + cleantest.Hostile}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	address, err := y.OpenPullRequest(t.Context(), o, DispatchRequest(r))
	if err != nil || address != "https://github.com/owner/kite/pull/7" {
		t.Fatalf("%q, %v", address, err)
	}
	if got := read("argv"); got != "pr\ncreate\n--repo\nowner/kite\n--head\ndispatch/kite-2-7\n--title=fix \"it\"…\n--body-file\n-\n--base=next\n" {
		t.Errorf("gh was asked %q", got)
	}
	text := read("text")
	cleantest.Check(t, "text", text, cleantest.Texts)
	if !strings.HasPrefix(text, "fix \"it\"\nand $that\n\n---\n\ndone") || read("token") != "ghp_SECRET\n" {
		t.Errorf("it says %q", text)
	}
	if err := os.WriteFile(filepath.Join(dir, "gh"), []byte("#!/bin/sh\necho no such branch >&2; exit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := y.OpenPullRequest(t.Context(), o, DispatchRequest(r)); err == nil || !strings.Contains(err.Error(), "no such branch") {
		t.Errorf("got %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := y.OpenPullRequest(t.Context(), o, DispatchRequest(r)); err == nil || !strings.Contains(err.Error(), "gh pr create --repo owner/kite") {
		t.Errorf("without gh: %v", err)
	}
}

// TestSessionRequest says what was asked for, what was done, how it was verified and what that cost, whatever ships say.
func TestSessionRequest(t *testing.T) {
	epic, err := tasks.NewEpic("Add login\n\nwith sessions", nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	more, _ := tasks.NewEpic("And a page", nil, 2)
	b := &fleet.Board{
		Voyage: fleet.Voyage{Branch: "feat/login"}, Verify: fleet.Verify{Passed: true, Commit: "0123456789abcdef"},
		Usage: fleet.Usage{Tokens: agentlog.Tokens{Input: 2000}, CostUSD: 1.5},
		Tasks: []tasks.State{
			{Task: epic},
			{Task: more},
			{Task: tasks.Task{ID: "1-1", Subject: "Model" + cleantest.Hostile, Owner: "worker-0", Status: tasks.Completed}, Commit: "fedcba9876543210", HandIn: &tasks.HandIn{Review: &tasks.Review{
				By: "validator-0", Reasoning: "it is right" + cleantest.Hostile,
				Discoveries: []tasks.Discovery{{Type: "gotcha", Content: "hashes are slow" + cleantest.Hostile, Files: []string{"a.go", cleantest.Hostile}}},
			}}},
			{Task: tasks.Task{ID: "1-3", Subject: "not wanted", Status: tasks.Completed}, Cancelled: true},
			{Task: tasks.Task{ID: "1-4", Subject: "too large", Owner: fleet.Coordinator, Status: tasks.Completed}},
			{Task: tasks.Task{ID: "1-2", Subject: "not done"}},
		},
	}
	r := SessionRequest(b, "#!/bin/sh\ngo test ./...\n")
	cleantest.Check(t, "text", r.Text, cleantest.Texts)
	if r.Branch != "feat/login" || r.Title != "Add login… (and 1 more)" {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{
		"## What was asked for\n\nAdd login\n\nwith sessions\n\nAnd a page\n\n", "- Model", "(fedcba987654, worker-0). Approved by validator-0: it is right", "## What was found\n\n- gotcha: hashes are slow",

		"passed in a clean checkout of 0123456789ab:\n\n    go test ./...\n", "Tokens: 2.0k in, 0 out. $1.50",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("%q lacks %q", r.Text, want)
		}
	}
	for _, not := range []string{"not done", "not wanted", "too large"} {
		if strings.Contains(r.Text, not) {
			t.Errorf("it tells of what is %s", not)
		}
	}
	b.Voyage.Unchecked = true
	if text := SessionRequest(b, "#!/bin/sh\nexit 0\n").Text; strings.Contains(text, "exit 0") || !strings.Contains(text, "No command was given") {
		t.Errorf("without a command it says\n%s", text)
	}
	if b.Verify.Passed = false; !strings.Contains(SessionRequest(b, "").Text, "not verified") {
		t.Error("it does not say that nothing verified it")
	}
}
