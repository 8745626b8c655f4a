package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/ui/launch/pullrequest"

	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/ui/launch/problem"
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
	var p *problem.Problem
	if err := (&Order{Repo: repoOf(t, "./kite")}).CheckPush(true); !errors.As(err, &p) || p.Field != problem.Repo {
		t.Errorf("a pull request of a directory: %v", err)
	}
	if err := (&Order{Repo: repoOf(t, "./kite")}).CheckPush(false); err != nil {
		t.Error(err)
	}
}

// gh gets the token in the environment and the text on standard input; the agent's text is cleaned.
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
	address, err := y.OpenPullRequest(t.Context(), o, pullrequest.OfDispatch(r))
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
	if _, err := y.OpenPullRequest(t.Context(), o, pullrequest.OfDispatch(r)); err == nil || !strings.Contains(err.Error(), "no such branch") {
		t.Errorf("got %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := y.OpenPullRequest(t.Context(), o, pullrequest.OfDispatch(r)); err == nil || !strings.Contains(err.Error(), "gh pr create --repo owner/kite") {
		t.Errorf("without gh: %v", err)
	}
}
