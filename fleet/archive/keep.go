package archive

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet"
)

// ending is how the name of an archive ends.
const ending = ".tar.gz"

// Name is what the archive of a voyage is called.
func Name(d fleet.Dir) string { return d.ID() + ending }

// WriteFile writes the archive of a voyage to a file, whole or not at all, and returns its size in bytes. It is fs.ErrExist when the file is
// there.
func WriteFile(ctx context.Context, d fleet.Dir, file string) (size int64, err error) {
	if _, err := os.Lstat(file); err == nil {
		return 0, &fs.PathError{Op: "archive", Path: file, Err: fs.ErrExist}
	}
	out, err := os.CreateTemp(filepath.Dir(file), ".archive-")
	if err != nil {
		return 0, err
	}
	err = Write(ctx, d, out)
	if err == nil {
		err = out.Sync()
	}
	if info, e := out.Stat(); e == nil {
		size = info.Size()
	}
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(out.Name(), file)
	}
	if err != nil {
		_ = os.Remove(out.Name())
	}
	return size, err
}

// Kept is an archive in the directory of all voyages.
type Kept struct {
	File   string
	Voyage fleet.Voyage
	Size   int64 // bytes
}

// List lists the archives in the directory of all voyages. What cannot be read as an archive is left out.
func List(all fleet.Voyages) (kept []Kept) {
	entries, _ := os.ReadDir(all.Archives())
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ending)
		if !ok || !fleet.IsVoyageID(id) {
			continue
		}
		k := Kept{File: filepath.Join(all.Archives(), e.Name())}
		in, err := os.Open(k.File)
		if err != nil {
			continue
		}
		info, err := in.Stat()
		if err == nil {
			k.Size = info.Size()
			k.Voyage, err = Open(in)
		}
		if in.Close(); err == nil && k.Voyage.ID == id {
			kept = append(kept, k)
		}
	}
	return kept
}

// Past is a sunk voyage on disk.
type Past struct {
	Dir  fleet.Dir
	Size int64     // bytes
	At   time.Time // when something of it was changed last
}

// minAge is how long after its last change a sunk voyage is left alone: the captain may be looking at it.
const minAge = 24 * time.Hour

// Excess returns the voyages to archive so that the rest have at most most bytes. past is in order of age, the oldest first.
func Excess(past []Past, limit int64, now time.Time) (excess []fleet.Dir) {
	var sum int64
	for _, p := range past {
		sum += p.Size
	}
	for _, p := range past {
		if sum > limit && now.Sub(p.At) > minAge {
			excess = append(excess, p.Dir)
			sum -= p.Size
		}
	}
	return excess
}

// Size is how many bytes the files below a directory have, as far as they can be read.
func Size(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}
