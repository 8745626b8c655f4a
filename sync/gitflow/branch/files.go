package branch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// File returns the content of a file of a commit, nil if there is no such file.
func (b *Branch) File(ctx context.Context, commit, file string) ([]byte, error) {
	if err := b.Check(ctx, commit); err != nil {
		return nil, err
	}
	return b.file(ctx, commit, file)
}

// Names lists the names in a directory of a commit, in its root for "".
func (b *Branch) Names(ctx context.Context, commit, dir string) ([]string, error) {
	if err := b.Check(ctx, commit); err != nil {
		return nil, err
	}
	out, err := b.repo.Bytes(ctx, nil, "ls-tree", "-z", "--name-only", commit+":"+dir)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// file is File for a commit that exists. It fails for anything but a plain file, for example a link.
func (b *Branch) file(ctx context.Context, commit, file string) ([]byte, error) {
	entry, err := b.repo.With("GIT_LITERAL_PATHSPECS=1").Output(ctx, "ls-tree", "-z", commit, "--", file)
	if err != nil || entry == "" {
		return nil, err
	}
	mode := strings.Fields(entry)
	if mode[0] != "100644" && mode[0] != "100755" || len(mode) < 3 {
		return nil, &sync.NotAdded{Err: fmt.Errorf("file %s: it is there as something else: make it a plain file", git.PlainText(file))}
	}
	out, err := b.repo.Bytes(ctx, nil, "cat-file", "blob", mode[2])
	if out == nil && err == nil {
		out = []byte{}
	}
	return out, err
}

// Uses returns those of the names that a file or directory of the branch has, at any depth.
func (b *Branch) Uses(ctx context.Context, names []string) ([]string, error) {
	out, err := b.repo.Bytes(ctx, nil, "ls-tree", "-r", "-z", "--name-only", b.Ref())
	if err != nil {
		return nil, b.explain(ctx, err)
	}
	parts := map[string]bool{}
	for path := range strings.SplitSeq(string(out), "\x00") {
		for part := range strings.SplitSeq(path, "/") {
			parts[part] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !parts[name] }), nil
}
