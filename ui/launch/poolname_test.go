package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// TestPoolName gives repositories whose directories have the same name pools of their own, whichever other pools exist.
func TestPoolName(t *testing.T) {
	y := testYard(t)
	path := func(at string) tasks.Repo {
		return tasks.Repo{Kind: tasks.RepoPath, Name: filepath.Join(y.Cwd, at)}
	}
	pools := map[string]tasks.Repo{}
	set := func() {
		t.Helper()
		if err := os.RemoveAll(y.Hub.Voyages); err != nil {
			t.Fatal(err)
		}
		for name, repo := range pools {
			d := fleet.Dir(filepath.Join(y.Hub.Voyages, fleet.NewID()))
			if err := os.MkdirAll(string(d), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := (fleet.Voyage{ID: d.ID(), Kind: fleet.Pool, Name: name, Repo: repo.String()}).Save(d); err != nil {
				t.Fatal(err)
			}
		}
	}
	choose := func(named string, repo tasks.Repo, want string, wantThere bool, wantOther tasks.Repo) {
		t.Helper()
		set()
		name, d, _, other, err := y.choosePool(t.Context(), named, repo, repo.Name)
		if err != nil || name != want || (d != "") != wantThere || wantOther.Name != "" && other != wantOther.String() || wantOther.Name == "" && other != "" {
			t.Errorf("%s has pool %q, there: %v, beside that of %q, %v; want %q", repo, name, d != "", other, err, want)
		}
	}
	mine, theirs := path("a/kite"), path("b/kite")
	choose("", mine, "kite", false, tasks.Repo{})
	pools["kite"] = mine
	choose("", mine, "kite", true, tasks.Repo{})
	choose("", theirs, "b-kite", false, mine)
	pools["b-kite"] = theirs
	choose("", theirs, "b-kite", true, mine)
	delete(pools, "kite")
	choose("", theirs, "b-kite", true, tasks.Repo{})
	pools["kite"] = mine
	choose("", tasks.Repo{Kind: tasks.RepoGitHub, Name: "ada/kite"}, "ada-kite", false, mine)
	set()
	third := path("c/b/kite")
	if _, _, _, _, err := y.choosePool(t.Context(), "", third, third.Name); err == nil || !strings.Contains(err.Error(), "pool kite works on "+mine.String()) {
		t.Errorf("a third %s: %v", third, err)
	}
	if _, _, _, _, err := y.choosePool(t.Context(), "kite", theirs, theirs.Name); err == nil || !strings.Contains(err.Error(), "not on "+theirs.String()) {
		t.Errorf("a pool of that name that is configured for another repository: %v", err)
	}
}
