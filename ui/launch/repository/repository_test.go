package repository

import (
	"errors"
	"testing"

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
	if err := (&Work{Repo: repoOf(t, "./kite")}).CheckPush(true); !errors.As(err, &p) || p.Field != problem.Repo {
		t.Errorf("a pull request of a directory: %v", err)
	}
	if err := (&Work{Repo: repoOf(t, "./kite")}).CheckPush(false); err != nil {
		t.Error(err)
	}
}
