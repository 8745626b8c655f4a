// Package hub is the hub's end of gitflow: a claim is a checkout of the branch on a remote tree, a completion a merge of that tree into the branch.
package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	stdsync "sync"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/intake"
	"ocaptain/sync/gitflow/merge"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/gitflow/park"
	"ocaptain/sync/gitflow/upkeep"
	"ocaptain/sync/gitflow/upstream"
	"ocaptain/sync/gitflow/workspace"
)

var _ sync.Work = (*Hub)(nil)

// Options shape a Hub. The zero value is good.
type Options struct {
	Limits    git.Limits
	Deadline  time.Duration            // for one request to a remote, default 10 minutes
	MergeTime time.Duration            // bounds how long git may merge files, default 1 minute
	Branch    func(name string) string // name of the branch in a remote tree, default the remote's name
	Identity  func(name string) string // "Name <mail>" for commits made in a remote tree
	Clean     func(text string) string // removes secrets from commit messages before a ref keeps the commits; may be nil
	Shared    bool                     // all work in one tree: another program keeps the files of the remotes and the captain the same
	Upstream  upstream.Options         // the repository in which several hubs share the branch
	Withheld  string                   // path of an archive with files that no commit of a remote may contain, "" for none
	Tell      func(text string)        // gets messages for the captain that no call returns; may be nil
}

// Hub is the hub's end of a branch. The captain uses the same clone: he may edit, commit and run git there at any
// time. Close the Hub after use.
//
// Both ends run git hardened: no hooks, filters, merge drivers or user settings take part, so files travel as they are
// stored (pointers to large files stay pointers). A repository inside a remote tree, a change to submodules, and files
// over the limit never travel: snapshots leave them out and say so, merges refuse and say what to do, checkouts move them
// aside. A linked worktree inside a tree is left alone.
type Hub struct {
	*branch.Branch
	*merge.Merger
	Workspace *workspace.Workspace

	courier // its repo is hardened for content that remotes wrote
	opts    Options
	format  string // object format: sha1 or sha256

	upkeep *upkeep.Upkeep
	intake *intake.Intake
	parked *park.Park

	mu      stdsync.Mutex
	remotes map[string]*remote
}

// Open returns the Hub for a branch of the clone at dir. It finishes or undoes what a crash of an earlier hub
// interrupted.
func Open(ctx context.Context, dir, name string, opts Options) (*Hub, error) {
	if !git.IsBranchName(name) {
		return nil, origin.BadBranch(name)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	r, err := git.Open(dir)
	if err != nil {
		return nil, err
	}
	r.Config, r.Kept, r.Patience = [][2]string{{"core.fsync", "committed,loose-object,reference"}}, git.NewKept(), git.HubLockAge
	if err := origin.CheckGit(ctx); err != nil {
		return nil, err
	}
	h := &Hub{courier: courier{r, opts.Deadline}, opts: opts, remotes: map[string]*remote{}}
	h.opts.Limits = opts.Limits.WithDefaults()
	if h.deadline <= 0 {
		h.deadline = 10 * time.Minute
	}
	if h.opts.MergeTime <= 0 {
		h.opts.MergeTime = time.Minute
	}
	h.repo.MergeTime = h.opts.MergeTime
	captain, err := origin.CaptainOf(ctx, dir)
	if err != nil {
		return nil, err
	}
	if captain.Ignore != "" {
		h.repo = h.repo.Set("core.excludesFile", captain.Ignore)
	}
	h.repo = h.repo.With(git.IdentityEnv("AUTHOR", captain.Name, captain.Mail)...).With(git.IdentityEnv("COMMITTER", captain.Name, captain.Mail)...)
	h.Branch = branch.New(h.repo, name, opts.Tell)
	h.upkeep = upkeep.New(h.repo)
	h.parked = park.New(h.repo, h.Ref(), opts.Clean)
	if h.format, err = h.repo.Output(ctx, "rev-parse", "--show-object-format"); err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	withheld, err := intake.ReadWithheld(opts.Withheld, h.format)
	if err != nil && opts.Tell != nil {
		opts.Tell("the content of files that were brought to ships is not known, and commits are not searched for it: " + err.Error())
	}
	h.Workspace = workspace.New(h.Branch, h.repo, h.upkeep, workspace.Options{Limits: h.opts.Limits, Format: h.format, Shared: opts.Shared})
	h.intake = intake.New(h.repo, h.opts.Limits, withheld, h.upkeep)
	if _, err := h.Head(ctx); err != nil {
		return nil, err
	}
	fold, err := h.repo.Output(ctx, "config", "--type=bool", "--get", "core.ignoreCase")
	if err != nil && git.ExitCode(err) != 1 {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	h.Merger = merge.New(merge.Parts{Repo: h.repo, Branch: h.Branch, Workspace: h.Workspace, Intake: h.intake, Upkeep: h.upkeep, Upstream: upstream.New(h.Branch, h.repo, opts.Upstream), Folds: fold == "true"})
	if err := h.remember(ctx); err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	if err := h.sweep(); err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	_, release, err := h.Workspace.Take(ctx)
	var hindrance *sync.Hindered
	switch err = h.Hindered(err); {
	case err == nil:
		release()
	case !errors.As(err, &hindrance): // if something hinders the repair, the next call that takes the workspace repairs
		return nil, fmt.Errorf("workspace: %w", err)
	}
	return h, nil
}

// Close ends background work. It does not end calls of other methods.
func (h *Hub) Close() error {
	h.upkeep.Close()
	h.repo.Kept.Close()
	h.intake.Close()
	return nil
}

// sweep removes quarantine directories of killed git commands that are older than an hour.
func (h *Hub) sweep() error {
	old, err := filepath.Glob(h.repo.Path("objects", git.QuarantinePrefix+"*"))
	if err != nil {
		return err
	}
	for _, dir := range old {
		if st, err := os.Stat(dir); err == nil && time.Since(st.ModTime()) > time.Hour {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	return nil
}
