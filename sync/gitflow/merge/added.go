package merge

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// withFiles returns tree with these files in place of what it has at their paths.
func (m *Merger) withFiles(ctx context.Context, r git.Repo, tree string, files map[string][]byte) (string, error) {
	entries, err := m.entries(r, files, tree)
	if err != nil {
		return "", err
	}
	with, err := staging.WithEntries(ctx, r, tree, entries)
	if err != nil {
		return "", fmt.Errorf("add files: %w", err)
	}
	return with, nil
}

// withAdded is withFiles for files that must be new: it fails where tree has other content at such a path.
func (m *Merger) withAdded(ctx context.Context, r git.Repo, tree string, files map[string][]byte) (string, error) {
	if len(files) == 0 {
		return tree, nil
	}
	with, err := m.withFiles(ctx, r, tree, files)
	if err != nil {
		return "", err
	}
	all, err := r.Changes(ctx, tree, with)
	if err != nil {
		return "", fmt.Errorf("add files: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, added := files[name]
		switch {
		case !all[name].Before.Exists():
		case added:
			return "", notAdded("add file %s: it is there with other content: give another path", git.PlainText(name))
		default: // this existing path is the directory of a new file, or below a new file
			return "", notAdded("add files: they take the place of %s: give other paths", git.PlainText(name))
		}
	}
	if m.Folds {
		if err := collisions(ctx, r, tree, with); err != nil {
			return "", notAdded("add files: %w", err)
		}
	}
	return with, nil
}

func notAdded(format string, args ...any) error {
	return &sync.NotAdded{Err: fmt.Errorf(format, args...)}
}

// entries stores files as blobs and lists them for update-index. The object like says which hash the repository uses.
func (m *Merger) entries(r git.Repo, files map[string][]byte, like string) (string, error) {
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		why := git.BadPath(name)
		for dir := path.Dir(name); dir != "." && dir != "/" && why == ""; dir = path.Dir(dir) {
			if _, file := files[dir]; file {
				why = "another one is to be its directory"
			}
		}
		switch {
		case why == "" && git.IsModules(name):
			why = "it lists submodules"
		case int64(len(files[name])) > m.Workspace.Limits.File:
			why = "it is larger than the limit of " + humanize.IBytes(uint64(m.Workspace.Limits.File))
		}
		if why != "" {
			return "", notAdded("add file %s: %s: give another one", git.PlainText(name), why)
		}
		id, err := r.WriteObject("blob", files[name], like)
		if err != nil {
			return "", fmt.Errorf("add file %s: %w", git.PlainText(name), err)
		}
		fmt.Fprintf(&list, "100644 %s\t%s\x00", id, name)
	}
	return list.String(), nil
}
