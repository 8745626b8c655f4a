package local

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ocaptain/sync/whole"
)

// account is the user that a ship's processes run as.
type account struct {
	name     string
	uid, gid int
}

// Users of ships of the superuser. systemd's table of user numbers leaves 60578 to 61183 to nobody
// (https://systemd.io/UIDS-GIDS/), and a container that has 65536 numbers has them too.
const (
	firstUser = 60578
	mostUsers = 606
)

// account is the captain's own, or, where the captain is the superuser and the ship is confined, one that owns
// nothing else on this machine.
func (p *Provider) account(r *record, confined bool) account {
	if !confined || os.Getuid() != 0 {
		return account{p.user.Username, os.Getuid(), os.Getgid()}
	}
	sum := fnv.New32a()
	sum.Write([]byte(r.ID))
	id := firstUser + int(sum.Sum32()%mostUsers)
	return account{"ship", id, id}
}

// writeAccounts writes the passwd and group that a confined ship sees.
func (a account) writeAccounts(at place) error {
	passwd := fmt.Sprintf("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n%s:x:%d:%d::%s:%s\n", a.name, a.uid, a.gid, at.home, shell())
	group := fmt.Sprintf("root:x:0:\nnogroup:x:65534:\n%s:x:%d:\n", a.name, a.gid)
	if err := whole.Write(at.passwd, []byte(passwd), 0o644); err != nil {
		return err
	}
	return whole.Write(at.group, []byte(group), 0o644)
}

// own gives the account the ship's directories. A ship that had no walls before may have files of
// another owner.
func (a account) own(at place) error {
	for _, dir := range []string{at.home, at.runtime} {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) == a.uid {
			continue
		}
		err = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(name, a.uid, a.gid)
		})
		if err != nil {
			return fmt.Errorf("give %s to user %d: %w", dir, a.uid, err)
		}
	}
	return nil
}
