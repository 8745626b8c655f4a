package setup

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet/aboard/shipdir"
)

// maxNamed is how many files are named one by one in the clone's exclude file. Where there are more, the directories are that
// hold nothing else: git compares each file with each name.
const maxNamed = 1000

// clone is the ship's clone of the repository.
type clone string

// left lists the files that git neither knows nor ignores, or with whole set, the directories that hold nothing else.
func (c clone) left(ctx context.Context, whole bool) (map[string]bool, error) {
	args := []string{"ls-files", "-z", "--others", "--exclude-standard"}
	if whole {
		args = append(args, "--directory")
	}
	out, err := c.git(ctx, args...)
	return names(out), err
}

// names reads a list of names that end with a zero byte.
func names(raw []byte) map[string]bool {
	all := map[string]bool{}
	for name := range strings.SplitSeq(string(raw), "\x00") {
		if name != "" {
			all[name] = true
		}
	}
	return all
}

// beforeFile is where the clone keeps what was left in it before a run of the script, until what the run adds is excluded.
const beforeFile = "ocaptain/setup.before"

// before lists the files that are not the script's. After a run that was killed they are those from before that run.
func (c clone) before(ctx context.Context) (map[string]bool, error) {
	file, err := c.path(ctx, beforeFile)
	if err != nil {
		return nil, err
	}
	if raw, err := os.ReadFile(file); err == nil {
		return names(raw), nil
	}
	all, err := c.left(ctx, false)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	return all, shipdir.WriteFile(file, strings.Join(slices.Sorted(maps.Keys(all)), "\x00"))
}

// hasChanged reports whether files are changed that git knows.
func (c clone) hasChanged(ctx context.Context) (bool, error) {
	out, err := c.git(ctx, "status", "--porcelain", "--untracked-files=no")
	return len(out) > 0, err
}

// exclude has git ignore what is left in the clone and was not before, in this clone alone. So it is no task's work, and stays.
func (c clone) exclude(ctx context.Context, before map[string]bool) error {
	if err := c.ignore(ctx, before); err != nil {
		return err
	}
	file, err := c.path(ctx, beforeFile)
	if err != nil {
		return err
	}
	return os.Remove(file)
}

// ignore adds what is left in the clone and was not before to its exclude file.
func (c clone) ignore(ctx context.Context, before map[string]bool) error {
	now, err := c.left(ctx, false)
	if err == nil && len(now) > maxNamed {
		now, err = c.left(ctx, true)
	}
	if err != nil {
		return err
	}
	maps.DeleteFunc(now, func(name string, _ bool) bool { return before[name] })
	return shipdir.Exclude(ctx, string(c), Script+" has made these", slices.Sorted(maps.Keys(now)))
}

// path is where git keeps one of its own files.
func (c clone) path(ctx context.Context, name string) (string, error) {
	return shipdir.GitPath(ctx, string(c), name)
}

func (c clone) git(ctx context.Context, args ...string) ([]byte, error) {
	return shipdir.Git(ctx, string(c), args...)
}

// append adds text to one of git's own files.
func (c clone) append(ctx context.Context, name, text string) error {
	file, err := c.path(ctx, name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
