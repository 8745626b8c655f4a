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

// Name returns the file name of a voyage's archive.
func Name(d fleet.Dir) string { return d.ID() + ending }

// WriteFile writes a voyage's archive to a file, atomically, and returns its size in bytes. The error is fs.ErrExist if the file exists.
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

// Kept is an archive in the directory of archives.
type Kept struct {
	File   string
	Voyage fleet.Voyage
	Size   int64 // bytes
}

// List lists the archives of voyages in all. It leaves out unreadable files.
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
	At   time.Time // when anything in it last changed
}

// minAge is how long a sunk voyage is left alone after its last change, since the captain may still look at it.
const minAge = 24 * time.Hour

// Excess returns the voyages that have to be archived so that the rest have at most limit bytes. past is ordered by age, the
// oldest first.
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

// Size returns how many bytes the readable files below a directory have.
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
