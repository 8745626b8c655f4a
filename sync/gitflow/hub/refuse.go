package hub

import (
	"context"
	"fmt"
	"strings"

	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"

	"github.com/dustin/go-humanize"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// refuseIncomplete returns a *sync.Refused for a snapshot that lacks files, if the agent can do something about the reason.
func (f fetched) refuseIncomplete(limits git.Limits) error {
	why := map[string]string{
		staging.LeftNested: "a directory is a git repository of its own, so its files can't come along: remove its .git to make them part of the work, or list it in .gitignore, or move it away",
		staging.LeftLarge:  "files are larger than the limit of " + humanize.IBytes(uint64(limits.File)) + ": remove them or list them in .gitignore",
		staging.LeftLocked: "files can't be read: make them readable, remove them or list them in .gitignore",
		staging.LeftClosed: "directories can't be read, or go too deep: make them readable, move what is in them up, or list them in .gitignore",
		staging.LeftRules:  "lines of attributes can't be longer than 2,047 bytes: break them",
		staging.LeftMoving: "files keep changing while they are copied: stop what writes them, or list them in .gitignore",
		staging.LeftName:   "names that git keeps for itself can't come along: rename or remove them",
		staging.LeftOther:  "tracked files were replaced by something that is not a file: put them back or remove them",
		staging.LeftInside: "files of submodules can't come along: put them back as they were, and leave them to the captain",
		staging.LeftModule: "submodules can't be changed by a remote: put the file back as it was, and leave that to the captain",
	}
	for _, kind := range []string{staging.LeftModule, staging.LeftInside, staging.LeftNested, staging.LeftLarge, staging.LeftLocked, staging.LeftClosed, staging.LeftRules, staging.LeftMoving, staging.LeftName, staging.LeftOther} {
		var paths []string
		for _, l := range f.Left {
			if l.Kind == kind {
				paths = append(paths, l.Path)
			}
		}
		if len(paths) > 0 {
			return &sync.Refused{Why: why[kind], Paths: paths}
		}
	}
	return nil
}

// refuseBeside returns a *sync.Refused while the remote has new work on another branch, in another worktree or in the
// stash. A merge would not include that work.
func (f fetched) refuseBeside() error {
	var names []string
	for _, s := range f.Sides {
		if s.Fresh {
			names = append(names, s.Branch)
		}
	}
	if n := min(f.FreshStash, wire.MostCommits); n > 0 {
		names = append(names, fmt.Sprintf("%d in the stash", n))
	}
	if len(names) == 0 {
		return nil
	}
	return &sync.Refused{
		Why: "what you did beside your tree would not come along. Bring it into your tree (git merge BRANCH, git stash pop; commit in a worktree first), " +
			"or drop it (git branch -D BRANCH, git worktree remove --force DIRECTORY, git stash drop), then complete the task again",
		Paths: names,
	}
}

// refuseMarkers returns a *sync.Refused for a snapshot that still has conflict markers.
func (h *Hub) refuseMarkers(ctx context.Context, s seen) error {
	b, err := h.repo.Bytes(ctx, nil, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv",
		"-G", git.ConflictMarkers, s.base, s.commit)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		return nil
	}
	paths := strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
	return &sync.Refused{Why: "conflict markers are left: resolve them and try again", Paths: paths}
}
