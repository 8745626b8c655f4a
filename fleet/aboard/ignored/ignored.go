// Package ignored copies home the files in a ship's clone that git ignores, and that therefore no merge includes.
package ignored

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/aboard/brought"
	"ocaptain/fleet/aboard/setup"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/sync/worktree"
)

// file is a file that git ignores, by its path in the clone.
type file struct {
	path string
	size int64
	at   time.Time // when it last changed
}

// Serve runs on the ship. Without arguments it prints a proto.Ignored as JSON. With "pack BYTES" it prints a tar archive of the newest
// files that fit in that many bytes.
func Serve(ctx context.Context, home string, args []string, out io.Writer) error {
	ship, err := shipdir.LoadShip(home)
	if err != nil {
		return err
	}
	files, err := list(ctx, ship.Workspace)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return json.NewEncoder(out).Encode(sum(files))
	case len(args) == 2 && args[0] == "pack":
		limit, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return err
		}
		return pack(ship.Workspace, newest(files, limit), out)
	}
	return errors.New("use it without arguments, or with: pack BYTES")
}

// list returns the regular files of the clone that git ignores. It leaves out files that the repository's setup script made, since it can
// make them again on another machine, and unchanged files that the captain brought, since he has them.
func list(ctx context.Context, clone string) ([]file, error) {
	if entries, err := os.ReadDir(clone); errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil, nil
	}
	runs, err := setup.Runs(ctx, clone)
	if err != nil {
		return nil, err
	}
	out, err := shipdir.Git(ctx, clone, "ls-files", "-z", "--others", "--ignored", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	own, err := brought.Unchanged(ctx, clone)
	if err != nil {
		return nil, err
	}
	var files []file
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name == "" || own(name) {
			continue
		}
		// A name that ends in a slash is a repository inside the clone.
		_ = filepath.WalkDir(filepath.Join(clone, name), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() { // a file that cannot be read cannot be copied
				files = appendOwn(files, clone, path, d, runs)
			}
			return nil
		})
	}
	return files, nil
}

// appendOwn appends the file at path unless a run of the setup script made it, or it no longer exists.
func appendOwn(files []file, clone, path string, d fs.DirEntry, runs []setup.Interval) []file {
	info, err := d.Info()
	if err != nil {
		return files
	}
	rel, err := filepath.Rel(clone, path)
	at := worktree.ChangeTime(info)
	if err != nil || ofSetup(at, info.ModTime(), runs) {
		return files
	}
	return append(files, file{rel, info.Size(), at})
}

// clockStep is longer than the resolution of a file system's clock.
const clockStep = 20 * time.Millisecond

// ofSetup reports whether a run of the setup script made a file. That is so if the file last changed during a run, and its content is as old
// as a run, or older than the first run, as in an archive that the script unpacked. If the script merely touched a file of an agent, the file
// counts as the agent's.
func ofSetup(changed, modified time.Time, runs []setup.Interval) bool {
	during := func(t time.Time) bool {
		return slices.ContainsFunc(runs, func(r setup.Interval) bool { return t.After(r.Began.Add(-clockStep)) && !t.After(r.Ended) })
	}
	return during(changed) && (during(modified) || modified.Before(runs[0].Began))
}

// sum counts files and their bytes.
func sum(files []file) proto.Ignored {
	var s proto.Ignored
	for _, f := range files {
		s.Files++
		s.Bytes += f.size
		if s.Largest == "" || f.size > s.LargestBytes {
			s.Largest, s.LargestBytes = f.path, f.size
		}
	}
	return s
}

// newest returns the newest files whose names are short enough: at most maxFiles, and together at most limit bytes. It leaves out a file
// that is larger than what remains of the limit.
func newest(files []file, limit int64) []file {
	slices.SortFunc(files, func(a, b file) int { return b.at.Compare(a.at) })
	var some []file
	for _, f := range files {
		if f.size <= limit && len(some) < maxFiles && fits(filepath.ToSlash(f.path)) {
			some = append(some, f)
			limit -= f.size
		}
	}
	return some
}

// pack writes a tar archive of files. If a file grows meanwhile, only its first part is packed.
func pack(clone string, files []file, out io.Writer) error {
	root, err := os.OpenRoot(clone)
	if err != nil {
		return err
	}
	defer root.Close()
	w := tar.NewWriter(out)
	for _, f := range files {
		if err := packFile(root, f, w); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return w.Close()
}

func packFile(root *os.Root, f file, w *tar.Writer) error {
	in, err := root.OpenFile(f.path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // do not block if a pipe is in its place
	if err != nil {
		return nil // gone or unreadable; the hub counts what arrives
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	f.size = min(f.size, info.Size())
	if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(f.path), Size: f.size, Mode: 0o600, ModTime: info.ModTime()}); err != nil {
		return err
	}
	if _, err = io.CopyN(w, in, f.size); errors.Is(err, io.EOF) {
		return errors.New("it became shorter while it was read; try again")
	}
	return err
}
