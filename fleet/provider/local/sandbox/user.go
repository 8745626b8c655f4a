package sandbox

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ocaptain/sync/whole"
)

// User is the user of a ship's processes.
type User struct {
	Name     string
	UID, GID int
}

// Numbers of the users of a superuser's ships. systemd's table of user numbers leaves 60578 to 61183 unused
// (https://systemd.io/UIDS-GIDS/), and a container with 65536 numbers has them too.
const (
	firstUser = 60578
	mostUsers = 606
)

// Captain returns the user of this process, under this name.
func Captain(name string) User { return User{name, os.Getuid(), os.Getgid()} }

// Confined returns the user inside the captain's sandbox of that id: himself, or, if he is the superuser, a user that
// owns nothing else on this machine.
func (u User) Confined(id string) User {
	if u.UID != 0 {
		return u
	}
	sum := fnv.New32a()
	sum.Write([]byte(id))
	uid := firstUser + int(sum.Sum32()%mostUsers)
	return User{"ship", uid, uid}
}

// Shell returns the login shell in sandboxes.
func Shell() string {
	if _, err := os.Stat("/bin/bash"); err == nil {
		return "/bin/bash"
	}
	return "/bin/sh"
}

// writeAccounts writes the files passwd and group that a sandbox shows.
func (u User) writeAccounts(at Place) error {
	passwd := fmt.Sprintf("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n%s:x:%d:%d::%s:%s\n", u.Name, u.UID, u.GID, at.Home, Shell())
	group := fmt.Sprintf("root:x:0:\nnogroup:x:65534:\n%s:x:%d:\n", u.Name, u.GID)
	if err := whole.Write(at.passwd(), []byte(passwd), 0o644); err != nil {
		return err
	}
	return whole.Write(at.group(), []byte(group), 0o644)
}

// TakeOver makes the user own a ship's directories. A ship that had no sandbox before may have files of another
// owner.
func (u User) TakeOver(at Place) error {
	for _, dir := range []string{at.Home, at.Runtime} {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) == u.UID {
			continue
		}
		err = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(name, u.UID, u.GID)
		})
		if err != nil {
			return fmt.Errorf("give %s to user %d: %w", dir, u.UID, err)
		}
	}
	return nil
}
