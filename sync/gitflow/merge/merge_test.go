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

// bench is a Merger for the branch voyage of a clone with one file.
type bench struct {
	testing.TB
	*Merger
	dir       string
	base      string // first commit of the branch
	mergeTime time.Duration
}

func begin(t testing.TB, mergeTime time.Duration) *bench {
	t.Helper()
	b := &bench{TB: t, dir: synctest.Begin(t), mergeTime: mergeTime}
	b.base = b.head()
	b.open()
	return b
}

// open replaces the Merger by a new one, as after a crash.
func (b *bench) open() {
	b.Helper()
	r, err := git.Open(b.dir)
	if err != nil {
		b.Fatal(err)
	}
	r.Kept, r.MergeTime, r.Patience = git.NewKept(), b.mergeTime, git.HubLockAge
	limits := git.Limits{}.WithDefaults()
	p := Parts{Repo: r, Branch: branch.New(r, "voyage", nil), Upkeep: upkeep.New(r)}
	p.Workspace = workspace.New(p.Branch, r, p.Upkeep, workspace.Options{Limits: limits, Format: "sha1"})
	p.Intake = intake.New(r, limits, nil, p.Upkeep)
	b.Merger = New(p)
	b.Cleanup(func() { p.Intake.Close(); p.Upkeep.Close(); r.Kept.Close() })
}

func (b *bench) head() string { b.Helper(); return synctest.Git(b, b.dir, "rev-parse", "voyage") }

// inStep checks that the captain's files and index agree with the branch.
func (b *bench) inStep() {
	b.Helper()
	if dirt := synctest.Git(b, b.dir, "status", "--porcelain"); dirt != "" {
		b.Error(dirt)
	}
}

// work makes a commit that adds one file to b.base.
func (b *bench) work(file, text string) string { b.Helper(); return b.on(b.base, file, text) }

// on makes a commit that adds one file to parent.
func (b *bench) on(parent, file, text string) string {
	b.Helper()
	id, err := b.Repo.WriteObject("blob", []byte(text), parent)
	if err != nil {
		b.Fatal(err)
	}
	tree, err := staging.WithEntries(b.Context(), b.Repo, parent, "100644 "+id+"\t"+file+"\x00")
	if err != nil {
		b.Fatal(err)
	}
	commit, err := b.Repo.WriteCommit(git.Commit{Tree: tree, Parents: []string{parent}, Message: "work"})
	if err != nil {
		b.Fatal(err)
	}
	return commit
}

// order returns a valid sync.Merge with this subject.
func order(subject string) sync.Merge {
	return sync.Merge{Name: "ship-1", Subject: subject, Author: "E <e@e>"}
}

// give lands a commit with one file.
func (b *bench) give(file, text string) error {
	_, err := b.Land(b.Context(), b.work(file, text), order(file))
	return err
}
