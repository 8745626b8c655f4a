// Package filters finds what a commit needs beyond git itself: filters, such as that of LFS, and submodules.
package filters

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// Known caches trees whose .gitattributes name no filter: searching all directories costs a git process.
type Known struct {
	mu   gosync.Mutex
	none map[string]bool
}

// mostKnown is the number of trees that a Known holds: enough for the branch's head and merges under way.
const mostKnown = 16

func (k *Known) has(tree string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.none[tree]
}

func (k *Known) remember(tree string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.none == nil || len(k.none) >= mostKnown {
		k.none = map[string]bool{}
	}
	k.none[tree] = true
}

// Unfiltered returns a *sync.Refused for changed files to which .gitattributes give a filter, such as git-crypt or
// LFS, before or after the change. No filter runs on hub or ship, so git would store a secret in plain text, or a
// large file as it is.
func (k *Known) Unfiltered(ctx context.Context, r git.Repo, head, tree string, all map[string]git.Change) error {
	stored := map[string]bool{} // a moved file is stored as before
	for _, c := range all {
		stored[c.Before.ID] = true
	}
	var names []string
	rules := []string{tree}
	for name, c := range all {
		if path.Base(name) == ".gitattributes" {
			rules = []string{tree, head}
		}
		if strings.HasPrefix(c.After.Mode, "100") && !stored[c.After.ID] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	if len(rules) == 1 {
		was, err := r.Resolve(ctx, head+"^{tree}")
		if err == nil && k.has(was[0]) {
			k.remember(tree) // its .gitattributes are the same
			return nil
		}
	}
	slices.Sort(names)
	refused := &sync.Refused{Why: "the repository stores these files through a filter, like git-crypt or LFS, which does not run here, so they would be stored as they are: undo your changes to them, and leave them to somebody who has the filter"}
	for _, of := range rules {
		found, err := k.filtersOf(ctx, r, of, names)
		if err != nil {
			return err
		}
		for _, name := range names {
			if found[name] != "" {
				refused.Paths = append(refused.Paths, fmt.Sprintf("%s (%s)", name, git.PlainText(found[name])))
			}
		}
	}
	if len(refused.Paths) == 0 {
		return nil
	}
	slices.Sort(refused.Paths)
	refused.Paths = slices.Compact(refused.Paths)
	return refused
}

// filtersOf returns the filters that the .gitattributes of a tree give to files.
func (k *Known) filtersOf(ctx context.Context, r git.Repo, tree string, names []string) (map[string]string, error) {
	has, err := hasFilters(ctx, r, tree)
	if err == nil && !has {
		k.remember(tree)
	}
	if err != nil || !has {
		return nil, err
	}
	room, err := os.MkdirTemp(r.Path("objects"), git.QuarantinePrefix)
	if err != nil {
		return nil, fmt.Errorf("attributes: %w", err)
	}
	defer os.RemoveAll(room)
	r = r.WithIndex(filepath.Join(room, "index"))
	if err := r.Run(ctx, "read-tree", tree); err != nil {
		return nil, fmt.Errorf("attributes: %w", err)
	}
	out, err := r.Bytes(ctx, staging.Paths(names), "check-attr", "--cached", "-z", "--stdin", "filter")
	if err != nil {
		return nil, fmt.Errorf("attributes: %w", err)
	}
	return git.ReadFilters(out), nil
}

// attributeFiles is the pathspec of all .gitattributes files.
const attributeFiles = ":(glob)**/.gitattributes"

// hasFilters reports whether .gitattributes of a tree may name a filter.
func hasFilters(ctx context.Context, r git.Repo, tree string) (bool, error) {
	err := r.Run(ctx, "grep", "-q", "-F", "-e", "filter", tree, "--", attributeFiles)
	if git.ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}
