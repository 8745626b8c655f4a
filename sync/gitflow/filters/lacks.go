package filters

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// Lacks is what a ship's clone lacks of a repository.
type Lacks struct {
	Submodules []string // directories of submodules, which stay empty
	Filters    []string // names of filters, such as lfs or git-crypt, that do not run: their files stay as git stores them
}

// FindLacks returns what a ship's clone lacks of a commit in the clone at dir.
func FindLacks(ctx context.Context, dir, commit string) (Lacks, error) {
	var l Lacks
	r, err := git.Open(dir)
	if err != nil {
		return l, err
	}
	all, err := r.Bytes(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return l, fmt.Errorf("submodules: %w", err)
	}
	for entry := range strings.SplitSeq(string(all), "\x00") {
		if what, name, _ := strings.Cut(entry, "\t"); strings.HasPrefix(what, "160000 ") {
			l.Submodules = append(l.Submodules, git.PlainText(name))
		}
	}
	words, err := r.Bytes(ctx, nil, "grep", "-h", "-o", "-E", "-e", `[[:space:]]filter=[^[:space:]]+`, commit, "--", attributeFiles)
	if err != nil && git.ExitCode(err) != 1 {
		return l, fmt.Errorf("attributes: %w", err)
	}
	for word := range strings.FieldsSeq(string(words)) {
		l.Filters = append(l.Filters, git.PlainText(strings.TrimPrefix(word, "filter=")))
	}
	slices.Sort(l.Filters)
	l.Filters = slices.Compact(l.Filters)
	return l, nil
}
