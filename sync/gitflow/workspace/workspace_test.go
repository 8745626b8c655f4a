package workspace

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/upkeep"
	"ocaptain/sync/synctest"
)

func TestMain(m *testing.M) { os.Exit(synctest.AsCaptain(m)) }

// begin makes a clone with a commit on branch voyage, and its Workspace.
func begin(t *testing.T) (*Workspace, string) {
	t.Helper()
	dir := synctest.Begin(t)
	r, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Kept = git.NewKept()
	u := upkeep.New(r)
	t.Cleanup(func() { u.Close(); r.Kept.Close() })
	return New(branch.New(r, "voyage", nil), r, u, Options{Limits: git.Limits{}.WithDefaults(), Format: "sha1"}), dir
}

// diverge makes the branches voyage and aside, whose merge conflicts in f.txt.
func diverge(t *testing.T, dir string) {
	t.Helper()
	for _, branch := range []string{"aside", "voyage"} {
		if synctest.Git(t, dir, "checkout", "-q", "-B", branch); branch == "voyage" {
			synctest.Git(t, dir, "reset", "-q", "--hard", "HEAD~1")
		}
		synctest.Put(t, dir, "f.txt", branch+"\n")
		synctest.Git(t, dir, "add", "f.txt")
		synctest.Git(t, dir, "commit", "-q", "-m", branch)
	}
}

// TestCaptainBeginsToMerge: if the captain begins a merge while the hub waits for edits to be complete, the error
// says so.
func TestCaptainBeginsToMerge(t *testing.T) {
	for name, args := range map[string][]string{"conflict": {"merge", "aside"}, "clean": {"merge", "--no-commit", "--no-ff", "-s", "ours", "aside"}} {
		t.Run(name, func(t *testing.T) {
			s, dir := begin(t)
			diverge(t, dir)
			head := synctest.Git(t, dir, "rev-parse", "voyage")
			synctest.Put(t, dir, "edit.txt", "edited\n")
			w, release, err := s.Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			st, _, err := w.look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rested, busy, err := w.unsettled(t.Context(), st.Write)
			if err != nil || len(busy) > 0 {
				t.Fatal(busy, err)
			}
			if _, err := synctest.TryGit(dir, args...); (err == nil) != (name == "clean") {
				t.Fatal(err)
			}
			w.Busy = busy
			err = w.Locked(t.Context(), func() error { _, err := w.commit(t.Context(), rested); return err })
			var waits *sync.Hindered
			if !errors.As(err, &waits) || !strings.Contains(waits.Why, "merge is under way") {
				t.Errorf("it says %v", err)
			}
			if now := synctest.Git(t, dir, "rev-parse", "voyage"); now != head {
				t.Error("the branch moved under the captain's merge")
			}
		})
	}
}

// TestLockLeftDuringConflict: a hub dies with the index locked while the captain resolves a conflict on another
// branch. The next hub can work.
func TestLockLeftDuringConflict(t *testing.T) {
	s, dir := begin(t)
	diverge(t, dir)
	synctest.Git(t, dir, "checkout", "-q", "-b", "mine")
	if _, err := synctest.TryGit(dir, "merge", "aside"); err == nil {
		t.Fatal("the merge should conflict")
	}
	synctest.Put(t, dir, ".git/index.lock", git.OurLock)
	w, release, err := s.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	head, _, err := w.Gather(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	work := synctest.Git(t, dir, "commit-tree", "-p", head, "-m", "work", head+"^{tree}")
	if _, err := w.Advance(t.Context(), head, work, nil, nil); err != nil {
		t.Fatal(err)
	}
	if now := synctest.Git(t, dir, "rev-parse", "voyage"); now != work {
		t.Errorf("the branch is at %s", now)
	}
	if st := synctest.Git(t, dir, "status", "--porcelain"); st != "AA f.txt" && st != "UU f.txt" {
		t.Errorf("the captain's conflict became %q", st)
	}
	synctest.Git(t, dir, "merge", "--abort")
}
