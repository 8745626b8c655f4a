// Package private makes directories that only this user can access, for sockets, whose paths must be short.
package private

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// MaxSocket is the longest path of a socket that every system accepts, in bytes.
const MaxSocket = 99

// SocketDir returns the directory for the sockets of dir, whose paths are room bytes longer than the directory's. It is dir or, if that
// is too long, a directory that stands for dir in XDG_RUNTIME_DIR, in /run/user/UID or in /tmp. It prefers dir, since not all processes
// of a user have the variable, and the directory that it names disappears when he logs out. In /tmp, SocketDir makes the directory; it
// fails if another user has made it. Even with an error it returns dir.
func SocketDir(dir string, room int) (string, error) {
	if len(dir)+room <= MaxSocket {
		return dir, nil
	}
	sum := sha256.Sum256([]byte(dir))
	name := "oc-" + hex.EncodeToString(sum[:4])
	user := strconv.Itoa(os.Getuid())
	for _, base := range []string{os.Getenv("XDG_RUNTIME_DIR"), filepath.Join("/run/user", user)} {
		short := filepath.Join(base, name)
		if filepath.IsAbs(base) && makePrivate(base) == nil && len(short)+room <= MaxSocket {
			return short, nil
		}
	}
	short := filepath.Join("/tmp", name+"-"+user)
	if err := Make(short); err != nil {
		return dir, fmt.Errorf("the path %s is too long for sockets, and there is no other place for them: %w; or set XDG_RUNTIME_DIR to a directory with a short path that only you can use",
			dir, err)
	}
	return short, nil
}

// Make makes each directory if it is missing, accessible only to this user. It fails if anything else exists at a
// path.
func Make(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := makePrivate(dir); err != nil {
			return err
		}
	}
	return nil
}

// makePrivate makes a directory accessible only to this user.
func makePrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s must be a directory that only you can use: move it away", dir)
	}
	return nil
}
