// Package intake takes in the commits that remotes send: they are in quarantine until they are found sound and fit for the branch.
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

// Intake is that of one repository. Close it after use.
type Intake struct {
	repo     git.Repo
	limits   git.Limits
	withheld map[string]bool // objects that no commit of a remote may have
	upkeep   *upkeep.Upkeep
	room     atomic.Pointer[room] // for what comes next, nil for none
	closed   atomic.Bool
}

// New returns the intake of a repository. No commit of a remote may have one of the withheld objects.
func New(repo git.Repo, limits git.Limits, withheld map[string]bool, u *upkeep.Upkeep) *Intake {
	return &Intake{repo: repo, limits: limits, withheld: withheld, upkeep: u}
}

// Close gives up what is kept for the next transfer. Calls under way are not ended.
func (k *Intake) Close() {
	k.closed.Store(true)
	if free := k.room.Swap(nil); free != nil {
		free.remove()
	}
}

// Receive takes a pack from a remote into quarantine, makes sure that its objects are sound, that each of want is a
// commit there or here with nothing missing behind it, and that the branch may hold how each differs from base. Only then do the objects
// enter the repository, which grows by size.
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

// room is an object directory for what is in quarantine, with a git of its own: that of the repository does not see it.
type room struct {
	dir  string
	repo git.Repo
}

// takeRoom returns the room that is free, or another one.
func (k *Intake) takeRoom() (*room, error) {
	if free := k.room.Swap(nil); free != nil {
		if _, err := os.Stat(free.dir); err == nil {
			return free, nil
		}
		free.remove() // a gc has
	}
	store := k.repo.Path("objects")
	dir, err := os.MkdirTemp(store, git.QuarantinePrefix)
	if err != nil {
		return nil, err
	}
	// No single object may take more memory than the largest file allowed.
	memory := strconv.FormatInt(k.limits.File+k.limits.File/8+(64<<20), 10)
	r := k.repo.With("GIT_OBJECT_DIRECTORY="+dir, "GIT_QUARANTINE_PATH="+dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+quotePath(store), "GIT_ALLOC_LIMIT="+memory)
	r.Kept = git.NewKept()
	return &room{dir, r}, nil
}

// leaveRoom keeps a room for the next transfer if all of this one was sound, and no pack was in it: its git may still read from a pack
// that is gone.
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

// remove gives a room up.
func (q *room) remove() {
	q.repo.Kept.Close()
	os.RemoveAll(q.dir)
}

// migrate moves objects from one object directory to another: what others refer to first, pack indexes last. It
// returns their size.
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

// quotePath writes a path the way GIT_ALTERNATE_OBJECT_DIRECTORIES wants it.
func quotePath(path string) string {
	if !strings.ContainsAny(path, `:"\`) {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}
