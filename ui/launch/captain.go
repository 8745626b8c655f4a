package launch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ocaptain/fleet/clean"
	"ocaptain/sync/whole"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/launch/repository"
)

// CaptainFile reads the captain.yaml of a session: the file that the captain names, or the repository's, if the repository is on this machine.
func (y Yard) CaptainFile(ctx context.Context, repo, named string) *config.Captain {
	if named != "" {
		return config.ReadCaptain(y.path(named), true)
	}
	r, err := tasks.ParseRepo(repo)
	if err != nil || r.Kind != tasks.RepoPath {
		return nil
	}
	top := repository.TopLevel(ctx, filepath.Clean(r.Source(y.Cwd, y.Hub.Home)))
	return config.ReadCaptain(filepath.Join(top, config.CaptainName), false)
}

// InitCaptain writes a captain.yaml with comments for the repository around a directory, and returns the file's path. It does not replace
// an existing file.
func (y Yard) InitCaptain(ctx context.Context, dir string) (string, error) {
	top := repository.TopLevel(ctx, y.path(dir))
	file := filepath.Join(top, config.CaptainName)
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return "", err
		}
		return "", problem.New(problem.Refused, problem.None, "change it, or remove it first", "%s is there already", clean.Line(file))
	}
	branch, err := changes.Output(ctx, top, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		branch = "" // there is no repository, or no branch is checked out
	}
	return file, whole.Write(file, config.CaptainTemplate(filepath.Base(top), branch), 0o644)
}

// path resolves a path that the captain typed.
func (y Yard) path(typed string) string {
	if filepath.IsAbs(typed) {
		return filepath.Clean(typed)
	}
	return filepath.Join(y.Cwd, typed)
}
