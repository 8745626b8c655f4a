package staging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	gosync "sync"
	"syscall"

	"ocaptain/sync/bounded"
)

// lookFast is Look by Lstat of the files, without git status.
func (t Tree) lookFast(ctx context.Context) (Status, error) {
	var s Status
	found, err := t.Resolve(ctx, "HEAD^{commit}")
	if err != nil {
		return s, err
	}
	s.Commit = found[0]
	if s.Branch, err = t.Head(ctx); err != nil {
		return s, err
	}
	x, err := readIndex(t.Path(PrivateIndex), t.Oid)
	if errors.Is(err, fs.ErrNotExist) {
		x, err = &index{}, nil
	}
	if err != nil {
		return s, fmt.Errorf("private index: %w", err)
	}
	raw, complaints := t.Raw, bounded.NewOutput(1<<20)
	raw.Complaints = complaints
	var others []byte
	var listed gosync.WaitGroup
	list := gosync.OnceFunc(func() { // while the scan goes on
		listed.Go(func() { others, err = raw.Bytes(ctx, nil, t.withRules("ls-files", "-z", "--others")...) })
	})
	differs := t.differing(&s, x, list)
	listed.Wait()
	if differs != nil {
		return s, differs
	}
	t.changedModules(ctx, &s)
	s.closed = ClosedDirs(complaints.String())
	if err == nil {
		others, err = withoutBrought(t.Repo, others)
	}
	s.others(others)
	if err == nil && t.Counted != nil {
		err = t.dropIgnored(ctx, &s)
	}
	return s, err
}

// notOpened matches git's warning about a directory that it skips, although there may be work in it. Git cuts long
// lines.
var notOpened = regexp.MustCompile(`(?m)^warning: could not open directory '(.+)$`)

// ClosedDirs lists the directories in git's warnings. For a very long path it returns only the first directory.
func ClosedDirs(complaints string) (dirs []string) {
	for _, m := range notOpened.FindAllStringSubmatch(complaints, -1) {
		dir, why, _ := strings.Cut(m[1], "/': ")
		if strings.EqualFold(why, syscall.ENOENT.Error()) {
			continue // it was removed meanwhile
		}
		if len(dir) > 1000 {
			dir, _, _ = strings.Cut(dir, "/")
		}
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
