package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// stamp holds attributes of a file that change with every write.
type stamp struct {
	size int64
	at   time.Time
}

func stampFrom(info os.FileInfo) stamp { return stamp{info.Size(), info.ModTime()} }

func stampOf(f *os.File) stamp {
	info, err := f.Stat()
	if err != nil {
		return stamp{}
	}
	return stampFrom(info)
}

// Intact reports whether the file is as this process left it: not written, cut or replaced by others. The answer is
// useful only where no other process may write.
func (j *Journal) Intact() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	is, err := os.Lstat(j.path)
	was, e := j.file.Stat()
	return err == nil && e == nil && os.SameFile(is, was) && stampFrom(was) == j.left && !j.foreign
}

// Size returns the length of the file after the last record, or when it was opened. It does not wait for a
// write in progress.
func (j *Journal) Size() int64 { return j.size.Load() }

// leave records the file's stamp after a write. The caller holds mu.
func (j *Journal) leave() {
	j.left = stampOf(j.file)
	j.size.Store(j.left.size)
}

// Reclaim puts the file back at its path, with all that this process can still read of it. It moves aside any other
// file at that path. The file then counts as intact, even if its content was changed.
func (j *Journal) Reclaim() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.syncing {
		j.synced.Wait()
	}
	if err := j.reclaim(); err != nil {
		return fmt.Errorf("bring back journal %s: %w", j.path, err)
	}
	j.leave()
	j.foreign = false
	return nil
}

func (j *Journal) reclaim() error {
	was, err := j.file.Stat()
	if err != nil {
		return err
	}
	is, err := os.Lstat(j.path)
	switch {
	case err == nil && os.SameFile(was, is):
		return nil
	case err == nil:
		if _, err := MoveAside(j.path, "damaged"); err != nil {
			return err
		}
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	temp := filepath.Join(filepath.Dir(j.path), "."+filepath.Base(j.path)+".again")
	file, err := os.OpenFile(temp, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, io.NewSectionReader(j.file, 0, was.Size()))
	if err == nil {
		err = j.flush(file)
	}
	if err == nil {
		err = os.Rename(temp, j.path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(j.path))
	}
	if err != nil {
		file.Close()
		return err
	}
	j.file.Close()
	j.file = file
	return nil
}
