// Package archive writes a whole voyage to one file and restores it. The file is a gzipped tar of the voyage's directory, with its
// repository as a git bundle.
package archive

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/sync/gitflow/git"
)

// bundle is the name of the repository in an archive.
const bundle = "workspace.bundle"

// Limits for restoring an archive, so that a damaged or foreign file cannot fill the disk.
const (
	mostFiles = 1_000_000
	mostBytes = 100 << 30
)

// secret returns the files of a voyage that no archive contains.
func secret(d fleet.Dir) []string {
	return []string{d.Secrets(), d.SecretsCopy(), d.Bring(), d.Admission()}
}

// Write writes an archive of a voyage to w. No helm may be working on the voyage.
func Write(ctx context.Context, d fleet.Dir, w io.Writer) error {
	packed := gzip.NewWriter(w)
	out := tar.NewWriter(packed)
	err := writeFile(d, d.Voyage(), out) // first in the archive, where Open looks for it
	if err == nil {
		err = writeBundle(ctx, d, out)
	}
	if err == nil {
		err = filepath.WalkDir(string(d), func(file string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case ctx.Err() != nil:
				return ctx.Err()
			case file == d.Workspace():
				return fs.SkipDir
			case file == string(d), file == d.Voyage(), !e.IsDir() && !e.Type().IsRegular(), slices.Contains(secret(d), file):
				return nil
			}
			return writeFile(d, file, out)
		})
	}
	if err == nil {
		err = errors.Join(out.Close(), packed.Close())
	}
	if err != nil {
		return fmt.Errorf("archive of %s: %w", d.ID(), err)
	}
	return nil
}

// writeBundle writes the voyage's repository, with all refs.
func writeBundle(ctx context.Context, d fleet.Dir, out *tar.Writer) error {
	if _, err := os.Stat(d.Workspace()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	dir, err := os.MkdirTemp("", "ocaptain-archive-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, bundle)
	if err := repository(d).Run(ctx, "bundle", "create", "--quiet", file, "--all"); err != nil {
		return err
	}
	return writeFile(fleet.Dir(dir), file, out)
}

// writeFile writes one file or directory. A file may grow meanwhile.
func writeFile(d fleet.Dir, file string, out *tar.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	name, err := filepath.Rel(string(d), file)
	if err != nil {
		return err
	}
	head, err := tar.FileInfoHeader(info, "")
	if err != nil {
		return err
	}
	head.Name, head.Uname, head.Gname, head.Uid, head.Gid = filepath.ToSlash(name), "", "", 0, 0
	if err := out.WriteHeader(head); err != nil || info.IsDir() {
		return err
	}
	_, err = io.CopyN(out, f, head.Size)
	return err
}

// Read restores a voyage from an archive, to the directory id below all. It fails if that directory exists. If it fails, it leaves
// nothing behind.
func Read(ctx context.Context, r io.Reader, all fleet.Voyages, id string) (d fleet.Dir, err error) {
	d = fleet.Dir(filepath.Join(string(all), id))
	if _, err := os.Lstat(string(d)); err == nil {
		return d, fmt.Errorf("voyage %s is there already", id)
	}
	if err := os.MkdirAll(string(all), 0o755); err != nil {
		return d, err
	}
	half, err := os.MkdirTemp(string(all), ".restoring-")
	if err != nil {
		return d, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(half)
			err = fmt.Errorf("voyage %s cannot be brought back: %w", id, err)
		}
	}()
	if err := unpack(ctx, r, half); err != nil {
		return d, err
	}
	v, err := fleet.LoadVoyage(fleet.Dir(half))
	if err != nil {
		return d, err
	}
	if v.ID != id {
		return d, fmt.Errorf("it holds voyage %s", v.ID)
	}
	if err := unbundle(ctx, fleet.Dir(half), v.Branch); err != nil {
		return d, err
	}
	return d, os.Rename(half, string(d))
}

// unpack writes files and directories below dir, and nothing outside.
func unpack(ctx context.Context, r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	packed, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	in := tar.NewReader(packed)
	var files, size int64
	for {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if files++; files > mostFiles || head.Size > mostBytes-size || ctx.Err() != nil {
			return errors.Join(ctx.Err(), errors.New("it is larger than a voyage can be"))
		}
		size += head.Size
		if err := unpackFile(root, head, in); err != nil {
			return fmt.Errorf("%q: %w", head.Name, err)
		}
	}
}

func unpackFile(root *os.Root, head *tar.Header, in io.Reader) error {
	name := path.Clean(head.Name)
	if !filepath.IsLocal(name) || strings.HasPrefix(name+"/", "workspace/") {
		return errors.New("no voyage has such a file")
	}
	switch head.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeReg:
	default:
		return errors.New("it is neither a file nor a directory")
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(head.Mode).Perm()&0o755|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return root.Chtimes(name, head.ModTime, head.ModTime) // lists of voyages are ordered by the time of a file
}

// unbundle restores the repository from the bundle, with all its refs and the branch checked out.
func unbundle(ctx context.Context, d fleet.Dir, branch string) error {
	file := filepath.Join(string(d), bundle)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	defer os.Remove(file)
	if err := os.Mkdir(d.Workspace(), 0o755); err != nil {
		return err
	}
	r := repository(d)
	if err := r.Run(ctx, "init", "--quiet", "--template="); err != nil {
		return err
	}
	if err := r.Set("protocol.file.allow", "always").Run(ctx, "fetch", "--quiet", "--no-write-fetch-head", "--end-of-options", file, "+refs/*:refs/*"); err != nil {
		return err
	}
	if err := r.Run(ctx, "symbolic-ref", "HEAD", "refs/heads/"+branch); err != nil {
		return err
	}
	return r.Run(ctx, "reset", "--quiet", "--hard")
}

// repository returns the voyage's repository, in which git executes nothing that ships have written.
func repository(d fleet.Dir) git.Repo {
	return git.Repo{Dir: d.Workspace(), GitDir: filepath.Join(d.Workspace(), ".git")}
}

// Open reads voyage.json from the beginning of an archive.
func Open(r io.Reader) (fleet.Voyage, error) {
	var v fleet.Voyage
	packed, err := gzip.NewReader(r)
	if err != nil {
		return v, fmt.Errorf("it is no archive of a voyage: %w", err)
	}
	in := tar.NewReader(packed)
	head, err := in.Next()
	if err == nil && head.Name != filepath.Base(fleet.Dir("").Voyage()) {
		err = fmt.Errorf("it begins with %q", head.Name)
	}
	if err != nil {
		return v, fmt.Errorf("it is no archive of a voyage: %w", err)
	}
	if err := json.NewDecoder(io.LimitReader(in, 8<<20)).Decode(&v); err != nil {
		return v, fmt.Errorf("voyage.json: %w", err)
	}
	if !fleet.IsVoyageID(v.ID) {
		return v, fmt.Errorf("voyage.json: %q is no id of a voyage", v.ID)
	}
	return v, nil
}
