// Package private makes directories that the user alone can use, for sockets whose
// paths must be short.
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

// MaxSocket is the longest path that every system takes for a socket.
const MaxSocket = 99

// SocketDir returns where sockets are whose place is dir, and whose paths have room more bytes than their directory's:
// dir, or where dir's path is too long a directory of the same meaning in XDG_RUNTIME_DIR, in /run/user/UID or in /tmp. dir comes first
// because processes of one user do not all have the variable, and what it names is gone when he logs out. In /tmp the directory is made
// here; it is an error when another user has made a directory of that name. With an error, dir is returned.
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

// Make makes each directory, unless it is there, with access for the user alone. Whatever
// else is there is an error.
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

// makePrivate makes sure that only this user can use a directory.
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
