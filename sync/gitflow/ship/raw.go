package ship

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/whole"
)

// rawDir is a git directory of our own beside the private index. With it git reads files as they are: no filter,
// setting or attribute from the tree applies. It uses the objects of the tree's repository.
const rawDir = "ocaptain/raw"

// noAttributes overrides what .gitattributes files say about how files are stored.
const noAttributes = "* !text !crlf !eol !ident !filter !working-tree-encoding\n"

// bytewise returns t with files read through rawDir. Only the .gitattributes in base's top directory apply: they came
// from the hub, and git wrote the files by them.
func (s *ship) bytewise(ctx context.Context, t staging.Tree, base string) (staging.Tree, error) {
	r := t.Raw.With("GIT_OBJECT_DIRECTORY=" + s.Path("objects"))
	r.GitDir, r.Config = s.Path(rawDir), [][2]string{git.Volatile, {"index.version", "2"}}
	t.Raw = r
	if _, err := os.Lstat(r.Path("HEAD")); errors.Is(err, fs.ErrNotExist) {
		if err := r.Run(ctx, "init", "-q", "--template=", "--object-format="+s.q.Format); err != nil {
			return t, err
		}
	}
	if err := whole.MakeDir(r.Path("info"), 0, 0o777); err != nil {
		return t, err
	}
	rules := "# " + base + "\n" + noAttributes
	if have, err := os.ReadFile(r.Path("info/attributes")); err == nil {
		if own, is := strings.CutPrefix(string(have), rules); is {
			t.Plain = staging.StoresPlain(own)
			return t, nil
		}
	}
	found, err := s.Resolve(ctx, staging.OrNothing(base)+":.gitattributes")
	if err != nil {
		return t, err
	}
	own := ""
	if found[0] != "" {
		if own, err = s.Output(ctx, "cat-file", "blob", found[0]); err != nil {
			return t, err
		}
	}
	t.Plain = staging.StoresPlain(own)
	next := r.Path("info/attributes.new")
	if err := os.WriteFile(next, []byte(rules+own+"\n"), 0o666); err != nil {
		return t, err
	}
	return t, os.Rename(next, r.Path("info/attributes"))
}
