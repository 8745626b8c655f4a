// Package brought puts files that the captain brings along into a ship's clone. They are files that git ignores, so
// no commit has them.
package brought

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/whole"
	"ocaptain/sync/worktree"
)

// Archive is the path, below a ship's home, of the tar archive in which the hub sends the files.
const Archive = ".ocaptain/bring.tar"

// maxNamed bounds how many of the paths that were left alone are listed.
const maxNamed = 20

// Serve writes those files of the archive that the ship's clone lacks, and prints a proto.Brought as JSON. Existing files stay: they are
// the agent's, or git's.
func Serve(ctx context.Context, home string, out io.Writer) error {
	ship, err := shipdir.LoadShip(home)
	if err != nil {
		return err
	}
	b := bringing{clone: ship.Workspace, archive: filepath.Join(home, Archive), stage: filepath.Join(home, ".ocaptain", "bring.stage")}
	done, err := b.run(ctx)
	if err != nil {
		return fmt.Errorf("bring files that git ignores: %w", err)
	}
	return json.NewEncoder(out).Encode(done)
}

// bringing is one run of Serve.
type bringing struct {
	clone, archive, stage string
	record                string // the file that lists what was brought
}

func (b *bringing) run(ctx context.Context) (done proto.Brought, err error) {
	if b.record, err = shipdir.GitPath(ctx, b.clone, staging.BroughtFile); err != nil {
		return done, err
	}
	known, err := staging.ReadBrought(b.record)
	if err != nil {
		known = nil // ignored: an agent may have written to the record; existing files are never overwritten anyway
	}
	var missing []worktree.Change
	err = b.each(func(h *tar.Header, _ io.Reader) error {
		done.Files++
		missing = append(missing, worktree.Change{Path: h.Name, Kind: worktree.Write})
		return nil
	})
	if err != nil {
		return done, err
	}
	if err := worktree.NoteCurrent(b.clone, missing); err != nil {
		return done, err
	}
	missing = slices.DeleteFunc(missing, func(c worktree.Change) bool {
		free := c.IsFree() && b.leads(c.Path)
		if _, before := known[c.Path]; !free && !before && len(done.Kept) < maxNamed {
			done.Kept = append(done.Kept, c.Path)
		}
		return !free
	})
	if missing, err = b.untracked(ctx, missing); err != nil || len(missing) == 0 {
		return done, err
	}
	done.Placed = len(missing)
	return done, b.place(ctx, missing, known)
}

// leads reports whether the existing directories of a path are real directories. A symbolic link could lead anywhere.
func (b *bringing) leads(path string) bool {
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(b.clone, dir)); err == nil && !info.IsDir() {
			return false
		}
	}
	return true
}

// each calls take for each file in the archive.
func (b *bringing) each(take func(h *tar.Header, content io.Reader) error) error {
	f, err := os.Open(b.archive)
	if err != nil {
		return err
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && (h.Typeflag != tar.TypeReg || git.BadPath(h.Name) != "") {
			err = fmt.Errorf("%.200q is no file that may be brought", h.Name)
		}
		if err == nil {
			err = take(h, r)
		}
		if err != nil {
			return err
		}
	}
}

// untracked returns all without files that git tracks in the clone.
func (b *bringing) untracked(ctx context.Context, all []worktree.Change) ([]worktree.Change, error) {
	if len(all) == 0 {
		return nil, nil
	}
	raw, err := shipdir.Git(ctx, b.clone, "ls-files", "-z", "--cached")
	tracked := map[string]bool{}
	for name := range strings.SplitSeq(string(raw), "\x00") {
		tracked[name] = true
	}
	return slices.DeleteFunc(all, func(c worktree.Change) bool { return tracked[c.Path] }), err
}

// place writes the missing files into the clone. Before that it records them as brought, and has git ignore them in this clone, so that no
// snapshot of the tree includes them.
func (b *bringing) place(ctx context.Context, missing []worktree.Change, known map[string]string) error {
	sums, err := b.unpack(missing)
	if err == nil {
		err = b.note(ctx, sums, known)
	}
	if err == nil {
		_, err = worktree.ApplyChanges(b.clone, b.stage, missing, true)
	}
	return errors.Join(err, os.RemoveAll(b.stage))
}

// unpack writes the missing files to the stage, and returns their SHA-256 by path.
func (b *bringing) unpack(missing []worktree.Change) (map[string]string, error) {
	if err := errors.Join(os.RemoveAll(b.stage), os.Mkdir(b.stage, 0o700)); err != nil {
		return nil, err
	}
	wanted, sums := map[string]bool{}, map[string]string{}
	for _, c := range missing {
		wanted[c.Path] = true
	}
	return sums, b.each(func(h *tar.Header, content io.Reader) error {
		if !wanted[h.Name] {
			return nil
		}
		path := filepath.Join(b.stage, h.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		sum := sha256.New()
		_, err = io.Copy(io.MultiWriter(f, sum), content)
		sums[h.Name] = hex.EncodeToString(sum.Sum(nil))
		return errors.Join(err, f.Chmod(fs.FileMode(h.Mode).Perm()), f.Close())
	})
}

// note records which files are brought. It makes git ignore those in this clone that it does not ignore already.
func (b *bringing) note(ctx context.Context, sums, known map[string]string) error {
	all := maps.Clone(sums)
	for name, sum := range known {
		if all[name] == "" {
			all[name] = sum
		}
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(b.record), 0o777); err != nil {
		return err
	}
	if err := whole.Write(b.record, raw, 0o600); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(sums))
	ignored, err := shipdir.GitInput(ctx, b.clone, strings.NewReader(strings.Join(names, "\x00")), "check-ignore", "-z", "--stdin")
	if git.ExitCode(err) > 1 { // 1 means that git ignores none of them
		return err
	}
	for name := range strings.SplitSeq(string(ignored), "\x00") {
		delete(sums, name)
	}
	return shipdir.Exclude(ctx, b.clone, "the captain has brought these", slices.Sorted(maps.Keys(sums)))
}

// Unchanged returns a function that reports whether a file of the clone is still as the captain brought it.
func Unchanged(ctx context.Context, clone string) (func(name string) bool, error) {
	record, err := shipdir.GitPath(ctx, clone, staging.BroughtFile)
	if err != nil {
		return nil, err
	}
	known, err := staging.ReadBrought(record)
	if err != nil {
		known = nil // ignored: an agent may have written to the record; then all files are reported, and none is lost
	}
	return func(name string) bool {
		want := known[filepath.ToSlash(name)]
		if want == "" {
			return false
		}
		f, err := os.OpenFile(filepath.Join(clone, name), os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0) // an agent may have put a pipe or a link in its place
		if err != nil {
			return false
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return false
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		return err == nil && hex.EncodeToString(sum.Sum(nil)) == want
	}, nil
}

// Names returns the paths of an archive's files. A missing archive has none.
func Names(archive string) (names []string, err error) {
	b := bringing{archive: archive}
	err = b.each(func(h *tar.Header, _ io.Reader) error {
		names = append(names, h.Name)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return names, err
}
