package staging

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// seenRules is a copy, in the raw git directory, of info/exclude as it was when dropIgnored last applied it to the
// private index.
const seenRules = "info/exclude.seen"

// dropIgnored lists in st.ignored the files of the private index that .gitignore or info/exclude now ignores: an
// earlier snapshot added them before the rule existed. Like git, it keeps files that HEAD, a commit of t.Counted or
// the tree's own index has.
func (t Tree) dropIgnored(ctx context.Context, st *Status) error {
	rules, err := os.ReadFile(t.Path("info/exclude"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	seen, _ := os.ReadFile(t.Raw.Path(seenRules))
	if bytes.Equal(rules, seen) && !slices.ContainsFunc(st.Write, isIgnoreFile) {
		return nil
	}
	st.rules = append([]byte{}, rules...)
	ignored, err := listNames(ctx, t.Raw, t.withRules("ls-files", "-z", "--cached", "--ignored")...)
	if err != nil || len(ignored) == 0 {
		return err
	}
	kept, err := listNames(ctx, t.WithIndex(t.Path("index")), "ls-files", "-z", "--cached")
	if err != nil {
		return err
	}
	for _, commit := range append([]string{st.Commit}, t.Counted...) {
		if commit == "" {
			continue
		}
		more, err := listNames(ctx, t.Repo, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
		if err != nil {
			return err
		}
		kept = append(kept, more...)
	}
	drop := map[string]bool{}
	for _, name := range ignored {
		drop[name] = true
	}
	for _, name := range kept {
		delete(drop, name)
	}
	for name := range drop {
		st.ignored = append(st.ignored, name)
	}
	st.Write = slices.DeleteFunc(st.Write, func(name string) bool { return drop[name] })
	return nil
}

// keepRules writes seenRules, once the private index has no file that st.rules ignores.
func (t Tree) keepRules(st *Status) error {
	if st.rules == nil {
		return nil
	}
	return os.WriteFile(t.Raw.Path(seenRules), st.rules, 0o666)
}

// withRules adds the options by which git ignores files, also those of info/exclude.
func (t Tree) withRules(args ...string) []string {
	args = append(args, "--exclude-standard")
	if _, err := os.Stat(t.Path("info/exclude")); err == nil {
		args = append(args, "--exclude-from="+t.Path("info/exclude"))
	}
	return args
}

func isIgnoreFile(name string) bool { return path.Base(name) == ".gitignore" }

// listNames runs a git command that lists names, each followed by a zero byte.
func listNames(ctx context.Context, r git.Repo, args ...string) ([]string, error) {
	out, err := r.Bytes(ctx, nil, args...)
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 }), err
}
