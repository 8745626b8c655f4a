package merge

import (
	"os"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/intake"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/upkeep"
	"ocaptain/sync/gitflow/workspace"
	"ocaptain/sync/synctest"
)

func TestMain(m *testing.M) { os.Exit(synctest.AsCaptain(m)) }

// bench is a merger of branch voyage in a clone with one file.
type bench struct {
	testing.TB
	*Merger
	dir  string
	base string // commit that all begins with
}

func begin(t testing.TB, mergeTime time.Duration) *bench {
	t.Helper()
	dir := t.TempDir()
	synctest.Git(t, dir, "init", "-q", "-b", "voyage")
	synctest.Put(t, dir, "a.txt", "a\n")
	synctest.Git(t, dir, "add", "-A")
	synctest.Git(t, dir, "commit", "-q", "-m", "begin")
	r, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Kept, r.MergeTime = git.NewKept(), mergeTime
	limits := git.Limits{}.WithDefaults()
	p := Parts{Repo: r, Branch: branch.New(r, "voyage", nil), Upkeep: upkeep.New(r)}
	p.Workspace = workspace.New(p.Branch, r, p.Upkeep, workspace.Options{Limits: limits, Format: "sha1"})
	p.Intake = intake.New(r, limits, nil, p.Upkeep)
	t.Cleanup(func() { p.Intake.Close(); p.Upkeep.Close(); r.Kept.Close() })
	return &bench{t, New(p), dir, synctest.Git(t, dir, "rev-parse", "HEAD")}
}

// work makes a commit with one file on top of the commit that all begins with.
func (b *bench) work(file, text string) string {
	id, err := b.Repo.WriteObject("blob", []byte(text), b.base)
	if err != nil {
		b.Fatal(err)
	}
	tree, err := staging.WithEntries(b.Context(), b.Repo, b.base, "100644 "+id+"\t"+file+"\x00")
	if err != nil {
		b.Fatal(err)
	}
	commit, err := b.Repo.WriteCommit(git.Commit{Tree: tree, Parents: []string{b.base}, Message: "work"})
	if err != nil {
		b.Fatal(err)
	}
	return commit
}

// order is what work is landed with.
func order(subject string) sync.Merge { return sync.Merge{Subject: subject, Author: "E <e@e>"} }

// give lands a file.
func (b *bench) give(file, text string) error {
	_, err := b.Land(b.Context(), b.work(file, text), order(file))
	return err
}
