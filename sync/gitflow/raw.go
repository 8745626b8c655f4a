package gitflow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"ocaptain/sync/bounded"
	"ocaptain/sync/whole"
)

// rawDir is a git directory of our own beside the private index. With it git takes files as they are: no filter, setting
// or attribute of whoever works in the tree counts. It has no objects of its own.
const rawDir = "ocaptain/raw"

// noAttributes takes back what any .gitattributes file says about how files are stored.
const noAttributes = "* !text !crlf !eol !ident !filter !working-tree-encoding\n"

// bytewise returns the tree with files read through rawDir. The attributes that base has in its first directory hold:
// they came from the hub, and the files were written by them.
func (s *ship) bytewise(ctx context.Context, t tree, base string) (tree, error) {
	r := t.raw.With("GIT_OBJECT_DIRECTORY=" + s.Path("objects"))
	r.GitDir, r.Config = s.Path(rawDir), [][2]string{{"core.fsync", "none"}, {"index.version", "2"}}
	if t.raw = r; s.q.Format == "sha256" {
		t.oid = 32
	}
	if _, err := os.Lstat(r.Path("HEAD")); errors.Is(err, fs.ErrNotExist) {
		if err := r.Run(ctx, "init", "-q", "--template=", "--object-format="+s.q.Format); err != nil {
			return t, err
		}
	}
	if err := whole.MakeDir(r.Path("info"), 0, 0o777); err != nil {
		return t, err
	}
	rules := "# " + base + "\n" + noAttributes
	if have, err := os.ReadFile(r.Path("info/attributes")); err == nil && strings.HasPrefix(string(have), rules) {
		return t, nil
	}
	found, err := s.Resolve(ctx, orNothing(base)+":.gitattributes")
	if err != nil {
		return t, err
	}
	own := ""
	if found[0] != "" {
		if own, err = s.Output(ctx, "cat-file", "blob", found[0]); err != nil {
			return t, err
		}
	}
	next := r.Path("info/attributes.new")
	if err := os.WriteFile(next, []byte(rules+own+"\n"), 0o666); err != nil {
		return t, err
	}
	return t, os.Rename(next, r.Path("info/attributes"))
}

// lookFast compares the private index with what the system tells of the files.
func (t tree) lookFast(ctx context.Context) (status, error) {
	var s status
	found, err := t.Resolve(ctx, "HEAD^{commit}")
	if err != nil {
		return s, err
	}
	s.commit = found[0]
	if s.branch, err = t.Head(ctx); err != nil {
		return s, err
	}
	if err := t.differing(&s, t.oid); err != nil {
		return s, err
	}
	t.changedModules(ctx, &s)
	raw, complaints := t.raw, bounded.NewOutput(1<<20)
	raw.Complaints = complaints
	others, err := raw.Bytes(ctx, nil, t.withRules("ls-files", "-z", "--others")...)
	s.others(others)
	s.closed = closedDirs(complaints.String())
	if err == nil && t.counted != nil {
		err = t.dropIgnored(ctx, &s)
	}
	return s, err
}

// notOpened is what git prints of a directory that it passes over, though what is in it may be work. It cuts long lines.
var notOpened = regexp.MustCompile(`(?m)^warning: could not open directory '(.+)$`)

// closedDirs lists the directories that git complains of. Of a path that is too long for it the first directory is named.
func closedDirs(complaints string) (dirs []string) {
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
