// Package intake receives the commits that remotes send. It keeps them in quarantine until it has found them sound
// and fit for the branch.
package intake

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/upkeep"
)

// Intake receives commits for one repository. Close it after use.
type Intake struct {
	repo     git.Repo
	limits   git.Limits
	withheld map[string]bool // ids of objects that no commit of a remote may have
	upkeep   *upkeep.Upkeep
	room     atomic.Pointer[room] // an empty room for the next transfer, or nil
	closed   atomic.Bool
}

// New returns the Intake of a repository. It refuses commits with one of the withheld objects.
func New(repo git.Repo, limits git.Limits, withheld map[string]bool, u *upkeep.Upkeep) *Intake {
	return &Intake{repo: repo, limits: limits, withheld: withheld, upkeep: u}
}

// Close removes the room for the next transfer. It does not end calls of other methods.
func (k *Intake) Close() {
	k.closed.Store(true)
	if free := k.room.Swap(nil); free != nil {
		free.remove()
	}
}

// Receive reads a pack from a remote into quarantine. It checks that the objects are sound, that each id of want is a
// commit that reaches no missing object, and that the branch may have the changes of each such commit since base.
// Then it moves the objects into the repository, which grows by size bytes.
func (k *Intake) Receive(ctx context.Context, in *bufio.Reader, want, have []string, base string) (size int64, err error) {
	q, err := k.takeRoom()
	if err != nil {
		return 0, fmt.Errorf("quarantine: %w", err)
	}
	defer func() { k.leaveRoom(q, err == nil) }()
	if err := q.repo.ReceivePack(ctx, in, true, k.limits.Pack); err != nil {
		return 0, fmt.Errorf("objects from the remote: %w", err)
	}
	if err := q.repo.CheckConnected(ctx, want, have); err != nil {
		return 0, err
	}
	for _, id := range want {
		if err := k.judge(ctx, q.repo, base, id); err != nil {
			return 0, err
		}
	}
	if size, err = migrate(q.dir, k.repo.Path("objects")); err != nil {
		return 0, fmt.Errorf("quarantine: %w", err)
	}
	k.upkeep.Count(size)
	return size, nil
}

// room is an object directory for one quarantine, with kept git processes of its own: those of the repository do not
// see its objects.
type room struct {
	dir  string
	repo git.Repo
}

// takeRoom returns the free room, or makes one.
func (k *Intake) takeRoom() (*room, error) {
	if free := k.room.Swap(nil); free != nil {
		if _, err := os.Stat(free.dir); err == nil {
			return free, nil
		}
		free.remove() // gc has removed the directory
	}
	store := k.repo.Path("objects")
	dir, err := os.MkdirTemp(store, git.QuarantinePrefix)
	if err != nil {
		return nil, err
	}
	// Git must not use more memory for an object than the largest allowed file needs.
	memory := strconv.FormatInt(k.limits.File+k.limits.File/8+(64<<20), 10)
	r := k.repo.With("GIT_OBJECT_DIRECTORY="+dir, "GIT_QUARANTINE_PATH="+dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+quotePath(store), "GIT_ALLOC_LIMIT="+memory)
	r.Kept = git.NewKept()
	return &room{dir, r}, nil
}

// leaveRoom empties a room and keeps it for the next transfer, if this transfer was sound and had no pack. With a
// pack, the room's git processes could still read from the deleted pack.
func (k *Intake) leaveRoom(q *room, sound bool) {
	left, err := os.ReadDir(q.dir)
	for _, e := range left {
		sound = sound && e.Name() != "pack"
		err = errors.Join(err, os.RemoveAll(filepath.Join(q.dir, e.Name())))
	}
	if !sound || err != nil || k.closed.Load() {
		q.remove()
	} else if other := k.room.Swap(q); other != nil {
		other.remove()
	}
}

// remove ends a room's git processes and deletes it.
func (q *room) remove() {
	q.repo.Kept.Close()
	os.RemoveAll(q.dir)
}

// migrate moves objects from one object directory to another. An object moves before the objects that refer to it, and pack
// indexes move last. It returns their size.
func migrate(from, to string) (size int64, err error) {
	var loose, packs, indexes []string
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		switch filepath.Ext(rel) {
		case "":
			loose = append(loose, rel)
		case ".pack", ".rev":
			packs = append(packs, rel)
		case ".idx":
			indexes = append(indexes, rel)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, rel := range append(append(loose, packs...), indexes...) {
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return 0, err
		}
		if _, err := os.Lstat(target); err == nil {
			continue
		}
		if err := os.Rename(filepath.Join(from, rel), target); err != nil && !errors.Is(err, fs.ErrExist) {
			return 0, err
		}
	}
	return size, nil
}

// quotePath quotes a path for GIT_ALTERNATE_OBJECT_DIRECTORIES.
func quotePath(path string) string {
	if !strings.ContainsAny(path, `:"\`) {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}
