package bring

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// errLink means that a part of a path is a link.
var errLink = errors.New("is a link")

// openTop opens the top of a checkout.
func openTop(dir string) (*os.File, error) {
	return os.OpenFile(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
}

// open opens a file below a directory. It follows no link, even if somebody replaces a directory by one meanwhile, and does not block on a
// pipe.
func open(top *os.File, name string) (*os.File, error) {
	const how = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK
	parts := strings.Split(name, "/")
	at := int(top.Fd())
	for i, part := range parts {
		if part == "" || part == "." || part == ".." {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
		}
		flags := how
		if i < len(parts)-1 {
			flags |= unix.O_DIRECTORY
		}
		fd, err := unix.Openat(at, part, flags, 0)
		if at != int(top.Fd()) {
			_ = unix.Close(at)
		}
		if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EMLINK) {
			err = errLink
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		at = fd
	}
	return os.NewFile(uintptr(at), name), nil
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}
