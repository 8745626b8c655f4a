package discoveries

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// Judge decides which discoveries in a commit are stale: if all their files are gone, or half of the lines that the files
// had when the discovery was added have changed since. A discovery without files is never stale.
func Judge(ctx context.Context, r git.Repo, commit string, all []Discovery) error {
	r = r.With("GIT_LITERAL_PATHSPECS=1")
	none, err := r.Output(ctx, "hash-object", "-t", "tree", "/dev/null")
	if err != nil {
		return err
	}
	byCommit := map[string][]*Discovery{}
	for i := range all {
		if d := &all[i]; d.Commit != "" && len(d.Files) > 0 {
			byCommit[d.Commit] = append(byCommit[d.Commit], d)
		}
	}
	has, err := numstat(ctx, r, none, commit, citedBy(slices.Concat(slices.Collect(maps.Values(byCommit))...)))
	if err != nil {
		return err
	}
	for base, list := range byCommit {
		paths := citedBy(list)
		lost, err := numstat(ctx, r, base, commit, paths)
		if err != nil {
			return err
		}
		had := counts{}
		if len(lost) > 0 { // most files have not changed
			if had, err = numstat(ctx, r, none, base, paths); err != nil {
				return err
			}
		}
		for _, d := range list {
			d.Stale = !slices.ContainsFunc(d.Files, func(f string) bool { return holds(had.of(f), has.of(f), lost.of(f)) })
		}
	}
	return nil
}

// citedBy returns the files that discoveries are about, each once.
func citedBy(list []*Discovery) []string {
	var paths []string
	for _, d := range list {
		paths = append(paths, d.Files...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// holds reports whether a file is still mostly the same. had counts its lines when it was cited, has those of now, and
// changed the changes in between.
func holds(had, has, changed count) bool {
	switch {
	case has.files == 0:
		return false
	case changed.files == 0 || had.files == 0: // it may have been added since
		return true
	}
	return 2*changed.deleted < had.added
}

// count is the counts in "git diff --numstat" for a path.
type count struct{ files, added, deleted int }

// counts are the counts of several paths.
type counts map[string]count

// of returns the count of a file, or of all files in a directory.
func (c counts) of(path string) count {
	if one, ok := c[path]; ok {
		return one
	}
	var sum count
	for name, one := range c {
		if strings.HasPrefix(name, path+"/") {
			sum = count{sum.files + 1, sum.added + one.added, sum.deleted + one.deleted}
		}
	}
	return sum
}

// maxPaths is how many paths git gets at once, as the length of its command line is limited.
const maxPaths = 64

// numstat counts the changes of paths between two trees.
func numstat(ctx context.Context, r git.Repo, from, to string, paths []string) (counts, error) {
	all := counts{}
	for some := range slices.Chunk(paths, maxPaths) {
		args := []string{"diff-tree", "-r", "-z", "--numstat", from, to, "--"}
		out, err := r.Bytes(ctx, nil, append(args, some...)...)
		if err != nil {
			return nil, err
		}
		readNumstat(out, all)
	}
	return all, nil
}

// readNumstat parses git's counts.
func readNumstat(out []byte, all counts) {
	for line := range strings.SplitSeq(string(out), "\x00") {
		f := strings.SplitN(line, "\t", 3) // added, deleted, path
		if len(f) != 3 {
			continue
		}
		one := count{files: 1}
		one.added, _ = strconv.Atoi(f[0]) // a binary file has a dash here: it has no lines, and any change counts
		one.deleted, _ = strconv.Atoi(f[1])
		all[f[2]] = one
	}
}
