package origin_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/synctest"
)

// TestLookUp: Prepare can begin at each commit that LookUp returns, even if no branch of the source has it.
func TestLookUp(t *testing.T) {
	_, src, old := goneOn(t)
	rev := func(name string) string { return synctest.Git(t, src, "rev-parse", name+"^{commit}") }
	tree := synctest.Git(t, src, "rev-parse", "main^{tree}")
	upstream := synctest.Git(t, src, "commit-tree", "-p", "main", "-m", "upstream", tree)
	synctest.Git(t, src, "update-ref", "refs/remotes/origin/main", upstream)
	for from, want := range map[string]string{"": rev("main"), "feature": rev("feature"), "v2": rev("feature"), old: old, upstream: upstream} {
		for _, source := range []string{src, "file://" + src} {
			got, err := origin.LookUp(t.Context(), source, from, origin.Options{})
			if err != nil || got != want {
				t.Errorf("from %q: %q, %v; want %s", from, got, err, want)
			}
			dir := filepath.Join(t.TempDir(), "workspace")
			if base, err := origin.Prepare(t.Context(), dir, source, "voyage", origin.Options{From: got}); err != nil || base != want {
				t.Errorf("%s from %q begins at %s, %v", source, from, base, err)
			}
		}
	}
	for _, from := range []string{"origin/main", "main~1", "@{-1}", "-x", "a b"} {
		if got, err := origin.LookUp(t.Context(), src, from, origin.Options{}); err == nil {
			t.Errorf("from %q: %s", from, got)
		}
	}
	for _, id := range []string{strings.Repeat("1", 40), tree} {
		if base, err := origin.Prepare(t.Context(), filepath.Join(t.TempDir(), "w"), src, "voyage", origin.Options{From: id}); err == nil {
			t.Errorf("from %s it begins at %s", id, base)
		}
	}
}

// TestFindBranch: FindBranch returns the branch, or another branch whose name excludes it.
func TestFindBranch(t *testing.T) {
	_, src, _ := goneOn(t)
	synctest.Git(t, src, "branch", "feat/a/b", "v1")
	synctest.Git(t, src, "update-ref", "refs/odd/refs/heads/odd", "main")
	for branch, want := range map[string]string{
		"feature": "feature", "feat/a/b": "feat/a/b", "feat/a": "feat/a/b", "feat": "feat/a/b", "feature/x/y": "feature", "feat/c": "", "fea": "", "odd": "",
	} {
		found, commit, err := origin.FindBranch(t.Context(), src, branch, origin.Options{})
		if err != nil || found != want || want != "" && commit != synctest.Git(t, src, "rev-parse", "refs/heads/"+want) {
			t.Errorf("%s: %q at %s, %v; want %q", branch, found, commit, err, want)
		}
	}
}

// TestIsBranch: IsBranch accepts no name that git refuses or could take for something else.
func TestIsBranch(t *testing.T) {
	for name, want := range map[string]bool{
		"feat/x": true, "x": true, "HEADS": true, "a/HEAD": true, "v1.2_3-x": true, "references/x": true,
		"ä": true, "feat/日本語": true, "feat/привет": true, "🚀": true, "a,b#1+c=(d)": true, "a/-x": true, strings.Repeat("a", 250): true,
		"": false, "HEAD": false, "@": false, "refs/heads/x": false, "-x": false, "a\xff": false, "a..b": false, "a.lock/b": false, "a//b": false, "/a": false,
		"a/": false, ".a": false, "a.": false, "a b": false, "a~1": false, "a@{1}": false, "a\nb": false,
		strings.Repeat("a", 40): false, strings.Repeat("a", 251): false,
	} {
		if got := origin.IsBranch(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
		if err := exec.Command("git", "check-ref-format", "--branch", name).Run(); want && err != nil {
			t.Errorf("%q: git refuses it", name)
		}
	}
}
