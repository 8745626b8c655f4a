package kept

import (
	"errors"
	"os"
	"path/filepath"
)

// TryRoom checks that a directory can hold more than a little, and leaves nothing behind.
func TryRoom(dir string) error {
	f, err := os.CreateTemp(dir, ".room-")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	if _, err := f.Write(make([]byte, 256<<10)); err != nil {
		var at *os.PathError
		if errors.As(err, &at) {
			return at.Err // without the path, as the file's name means nothing
		}
		return err
	}
	return nil
}

// Reserve is a file that reserves disk space for another file, so that this one can still be written, and readers
// learn that the disk is full.
type Reserve string

// ReserveOf returns the reserve in a directory.
func ReserveOf(dir string) Reserve { return Reserve(filepath.Join(dir, ".reserve")) }

// Keep makes the reserve as large as a file, if the disk has room.
func (r Reserve) Keep(file string) {
	its, err := os.Stat(file)
	if err != nil {
		return
	}
	have, err := os.Stat(string(r))
	if err == nil && have.Size() >= its.Size() {
		return
	}
	if os.WriteFile(string(r), make([]byte, 2*its.Size()), 0o600) != nil {
		r.Free()
	}
}

// Free removes the reserve, and reports whether there was one.
func (r Reserve) Free() bool { return os.Remove(string(r)) == nil }
