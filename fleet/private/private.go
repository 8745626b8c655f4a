// Package private makes directories in places that all users share, for sockets
// whose paths must be short, and trusts none that somebody else may write in.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// Base is the user's own directory in /tmp. It is not made yet.
func Base() string { return "/tmp/ocaptain-" + strconv.Itoa(os.Getuid()) }

// Make makes each directory, unless it is there, with access for the user alone. Whatever
// else is there is an error.
func Make(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		owner, ok := info.Sys().(*syscall.Stat_t)
		if !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() || info.Mode().Perm()&0o077 != 0 {
			return fmt.Errorf("%s must be a directory that only you can use: move it away", dir)
		}
	}
	return nil
}
