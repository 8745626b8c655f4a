package repository

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/tasks"
	"ocaptain/ui/launch/problem"
)

// Messages of git and ssh are explained in words, with what to do. Cases that need no network run the real programs.
func TestUnreachable(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "plain"), 0o755); err != nil {
		t.Fatal(err)
	}
	denied := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/private.git/info/refs":
			w.Header().Set("WWW-Authenticate", "Basic realm=x")
			w.WriteHeader(http.StatusUnauthorized)
		case "/forbidden.git/info/refs":
			w.WriteHeader(http.StatusForbidden)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer denied.Close()
	for where, want := range map[string]string{
		"./plain":                                  "there is no git repository",
		"./none":                                   "there is no git repository",
		denied.URL + "/private.git":                "the login is refused",
		denied.URL + "/forbidden.git":              "the login is refused",
		denied.URL + "/none.git":                   "it is not there, or you may not read it",
		"http://127.0.0.1:1/x.git":                 "its host does not answer",
		"ssh://git@127.0.0.1:1/x.git":              "its host does not answer",
		"https://no-such-host.invalid/owner/x.git": "its host is not known",
	} {
		r := repoOf(t, where)
		w := Work{Repo: r, Source: r.Source(dir, dir)}
		err := w.Check(t.Context(), dir, false)
		var p *problem.Problem
		if !errors.As(err, &p) || p.Field != problem.Repo || p.Hint == "" || !strings.Contains(p.Error(), want) {
			t.Errorf("%s: %v", where, err)
		}
	}
	for said, want := range map[string]string{
		"git@github.com: Permission denied (publickey). fatal: Could not read from remote repository.":                 "your ssh key is refused",
		"Host key verification failed. fatal: Could not read from remote repository.":                                  "the key of its host",
		"ERROR: Repository not found. fatal: Could not read from remote repository.":                                   "it is not there, or you may not read it",
		"fatal: detected dubious ownership in repository at '/x'":                                                      "belongs to somebody else",
		"fatal: unable to access 'https://x/': server certificate verification failed. CAfile: none CRLfile: none":     "certificate",
		"remote: Support for password authentication was removed. fatal: Authentication failed for 'https://x/y.git/'": "the login is refused",
	} {
		if words, fix := unreachable(tasks.Repo{Kind: tasks.RepoURL}, "", said); !strings.Contains(words, want) || fix == "" {
			t.Errorf("%s: %q, %q", said, words, fix)
		}
	}
	if _, fix := unreachable(tasks.Repo{Kind: tasks.RepoGitHub}, "", "Repository not found"); !strings.Contains(fix, "set GH_TOKEN") {
		t.Errorf("on GitHub: %q", fix)
	}
}
