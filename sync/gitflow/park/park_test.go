package park

import (
	"os"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/synctest"
)

func TestMain(m *testing.M) { os.Exit(synctest.AsCaptain(m)) }

// begin makes a repository with a commit on its branch, and a Park whose clean replaces "secret".
func begin(t *testing.T) (*Park, string) {
	t.Helper()
	dir := synctest.Begin(t)
	r, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return New(r, "refs/heads/voyage", func(text string) string { return strings.ReplaceAll(text, "secret", "***") }), dir
}

// TestCleaned: Cleaned removes secrets from the remote's own commits, and leaves older commits alone.
func TestCleaned(t *testing.T) {
	for name, c := range map[string]struct{ began, own, want string }{
		"no secret":                  {"begun", "work", "work|begun"},
		"a secret":                   {"begun", "my secret", "my ***|begun"},
		"a secret that was there":    {"a secret of the source", "work", "work|a secret of the source"},
		"a secret, and one of those": {"a secret of the source", "my secret", "my ***|a secret of the source"},
	} {
		t.Run(name, func(t *testing.T) {
			p, dir := begin(t)
			commit := func(parent, message string) string {
				return synctest.Git(t, dir, "commit-tree", "-p", parent, "-m", message, "voyage^{tree}")
			}
			base := commit("voyage", c.began)
			synctest.Git(t, dir, "update-ref", git.RefBase+"ship-1", base)
			id := commit(base, c.own)
			kept, err := p.Cleaned(t.Context(), id, "")
			if err != nil {
				t.Fatal(err)
			}
			if got := synctest.Git(t, dir, "log", "--format=%s", "voyage.."+kept); strings.ReplaceAll(got, "\n", "|") != c.want {
				t.Errorf("kept %q", got)
			}
			if same := kept == id; same != !strings.Contains(c.own, "secret") {
				t.Errorf("the same commit: %v", same)
			}
			if kept, err = p.Cleaned(t.Context(), id, base); err != nil || kept != id {
				t.Errorf("a snapshot became %s, %v", kept, err)
			}
		})
	}
}

// TestKeep: a commit that is parked twice has one ref.
func TestKeep(t *testing.T) {
	p, dir := begin(t)
	id := synctest.Git(t, dir, "commit-tree", "-m", "work", "voyage^{tree}")
	if kept, err := p.IsKept(t.Context(), id); err != nil || kept {
		t.Fatalf("kept: %v, %v", kept, err)
	}
	first, err := p.Keep(t.Context(), "ship-1", []string{id})
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Keep(t.Context(), "ship-1", []string{id}, "update "+git.RefLive+"ship-1 "+id)
	if err != nil || again[0] != first[0] {
		t.Errorf("parked on %s and %s, %v", first, again, err)
	}
	if got := synctest.Git(t, dir, "for-each-ref", "--format=%(objectname)", git.RefParked, git.RefLive); got != id+"\n"+id {
		t.Errorf("refs name %s", got)
	}
	if kept, err := p.IsKept(t.Context(), id); err != nil || !kept {
		t.Errorf("kept: %v, %v", kept, err)
	}
	if all, err := p.Newest(t.Context(), "ship-1"); err != nil || len(all) != 1 || all[0] != id {
		t.Errorf("newest: %v, %v", all, err)
	}
}
