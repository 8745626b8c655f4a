package discoveries

import (
	"bytes"
	"context"
	"os/exec"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// Found are the discoveries in a commit.
type Found struct {
	Commit      string // "" when there is no commit
	Discoveries []Discovery
	Skipped     []Skipped
}

// Find reads and judges the discoveries in a revision of the repository that contains dir.
func Find(ctx context.Context, dir, revision string) (Found, error) {
	r, err := open(ctx, dir)
	if err != nil {
		return Found{}, err
	}
	commits, err := r.Resolve(ctx, revision+"^{commit}")
	if err != nil || commits[0] == "" {
		return Found{}, err
	}
	f := Found{Commit: commits[0]}
	if f.Discoveries, f.Skipped, err = Read(ctx, r, f.Commit); err != nil {
		return Found{}, err
	}
	return f, Judge(ctx, r, f.Commit, f.Discoveries)
}

// open finds the repository that contains a directory, which may be in a linked worktree.
func open(ctx context.Context, dir string) (git.Repo, error) {
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel", "--absolute-git-dir")
	cmd.Dir, cmd.Env = dir, git.ForeignEnv()
	var out bytes.Buffer
	if err := git.RunCommand(ctx, cmd, nil, &out); err != nil {
		return git.Repo{}, err
	}
	top, gitDir, _ := strings.Cut(strings.TrimSuffix(out.String(), "\n"), "\n")
	return git.Repo{Dir: top, GitDir: gitDir}, nil
}
