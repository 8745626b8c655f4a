package merge

import (
	"context"
	"fmt"
	"path"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// collisions refuses added files whose names differ from others only in case. Callers use it where the captain's file
// system ignores case.
func collisions(ctx context.Context, r git.Repo, head, tree string) error {
	added, err := r.Bytes(ctx, nil, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", head, tree)
	if err != nil || len(added) == 0 {
		return err
	}
	all, err := r.Bytes(ctx, nil, "ls-tree", "-r", "-z", "--name-only", tree)
	if err != nil {
		return err
	}
	files, dirs := map[string]int{}, map[string]bool{}
	for name := range strings.SplitSeq(string(all), "\x00") {
		name = git.FoldName(name)
		files[name]++
		for dir := path.Dir(name); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	var paths []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(added), "\x00"), "\x00") {
		plain := git.FoldName(name)
		taken := files[plain] > 1 || dirs[plain]
		for dir := path.Dir(plain); dir != "." && !taken; dir = path.Dir(dir) {
			taken = files[dir] > 0
		}
		if taken {
			paths = append(paths, name)
		}
	}
	if len(paths) > 0 {
		return &sync.Refused{Why: fmt.Sprintf("%d names differ from others only in case, which the captain's file system can't tell apart: rename them", len(paths)), Paths: paths}
	}
	return nil
}
