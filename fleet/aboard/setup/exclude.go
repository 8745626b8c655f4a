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

// maxNamed is how many files are named one by one in the clone's exclude file, since git compares each file with each name.
// If there are more, directories are named that contain only such files.
const maxNamed = 1000

// clone is the ship's clone of the repository.
type clone string

// left lists the files that git neither tracks nor ignores. With whole set, it lists a directory in place of its
// files if it contains no others.
func (c clone) left(ctx context.Context, whole bool) (map[string]bool, error) {
	args := []string{"ls-files", "-z", "--others", "--exclude-standard"}
	if whole {
		args = append(args, "--directory")
	}
	out, err := c.git(ctx, args...)
	return names(out), err
}

// names splits a list of names that end in zero bytes.
func names(raw []byte) map[string]bool {
	all := map[string]bool{}
	for name := range strings.SplitSeq(string(raw), "\x00") {
		if name != "" {
			all[name] = true
		}
	}
	return all
}

// beforeFile is the file that lists what was in the clone before a run of the script. It exists until the files that the
// run added are excluded.
const beforeFile = "ocaptain/setup.before"

// before lists the files that the script has not added. If a run was killed, these are the files from before that
// run.
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

// hasChanged reports whether tracked files have changed.
func (c clone) hasChanged(ctx context.Context) (bool, error) {
	out, err := c.git(ctx, "status", "--porcelain", "--untracked-files=no")
	return len(out) > 0, err
}

// exclude makes git ignore the files that were added since before, in this clone only. So they are no part of a task's work,
// and stay.
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

// ignore adds the files that were added since before to the clone's exclude file.
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

// path returns the path of a file in git's directory.
func (c clone) path(ctx context.Context, name string) (string, error) {
	return shipdir.GitPath(ctx, string(c), name)
}

func (c clone) git(ctx context.Context, args ...string) ([]byte, error) {
	return shipdir.Git(ctx, string(c), args...)
}

// append adds text to a file in git's directory.
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
