package gitflow

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

	"ocaptain/sync/gitflow/git"
)

// receive takes a pack from a remote into quarantine, makes sure that its objects are sound, that each of want is a
// commit there or here with nothing missing behind it, and that judge, which looks at all files of a commit, finds no fault with any of
// them. Only then do the objects enter the repository, which grows by size.
func (h *Hub) receive(ctx context.Context, in *bufio.Reader, want, have []string, judge func(r git.Repo, commit string) error) (size int64, err error) {
	store := h.repo.Path("objects")
	room, err := os.MkdirTemp(store, git.QuarantinePrefix)
	if err != nil {
		return 0, fmt.Errorf("quarantine: %w", err)
	}
	defer os.RemoveAll(room)
	limits := h.opts.Limits
	// No single object may take more memory than the largest file allowed.
	memory := strconv.FormatInt(limits.File+limits.File/8+(64<<20), 10)
	q := h.repo.With("GIT_OBJECT_DIRECTORY="+room, "GIT_QUARANTINE_PATH="+room,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+quotePath(store), "GIT_ALLOC_LIMIT="+memory)
	q.Kept = git.NewKept() // the hub's own does not see what is in quarantine
	defer q.Kept.Close()
	if err := q.ReceivePack(ctx, in, true, limits.Pack); err != nil {
		return 0, fmt.Errorf("objects from the remote: %w", err)
	}
	if err := q.CheckConnected(ctx, want, have); err != nil {
		return 0, err
	}
	for _, id := range want {
		if err := judge(q, id); err != nil {
			return 0, err
		}
	}
	if size, err = migrate(room, store); err != nil {
		return 0, fmt.Errorf("quarantine: %w", err)
	}
	h.upkeep.Count(size)
	return size, nil
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
