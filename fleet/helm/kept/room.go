package kept

import (
	"errors"
	"os"
	"path/filepath"
)

// TryRoom tries whether a directory takes more than a little. Nothing is left there.
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
			return at.Err // its file has a name that says nothing
		}
		return err
	}
	return nil
}

// Reserve is a file that holds room on the disk for another one, so that readers learn of a disk that is full.
type Reserve string

// ReserveOf is the reserve in a directory.
func ReserveOf(dir string) Reserve { return Reserve(filepath.Join(dir, ".reserve")) }

// Keep makes sure that there is a reserve as large as a file, as long as the disk has room for it.
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

// Free gives the reserve back to the disk, and reports whether there was one.
func (r Reserve) Free() bool { return os.Remove(string(r)) == nil }
