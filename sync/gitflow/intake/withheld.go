package intake

import (
	"archive/tar"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// WithheldRecord marks, with any value, the files of an archive that no commit may have.
const WithheldRecord = "OCAPTAIN.withheld"

// leastWithheld is the smallest size of a withheld file, in bytes: other files may well have the same content as a
// smaller one.
const leastWithheld = 16

// ReadWithheld returns the objects that no commit of a remote may have: the contents of the marked files of an archive, for a repository with objects in that format. An archive that does not exist has no such
// file.
func ReadWithheld(archive, format string) (map[string]bool, error) {
	f, err := os.Open(archive)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := map[string]bool{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
		if h.PAXRecords[WithheldRecord] == "" || h.Size < leastWithheld {
			continue
		}
		sum := git.NewBlobHash(h.Size, git.NameSize(format))
		if _, err := io.Copy(sum, r); err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
		all[hex.EncodeToString(sum.Sum(nil))] = true
	}
}

// unwithheld refuses received commits if one of them has a withheld object, even if the last one has not. It ignores
// objects that the repository has already, since the captain committed them.
func (k *Intake) unwithheld(ctx context.Context, r git.Repo) error {
	came, err := having(ctx, r, slices.Sorted(maps.Keys(k.withheld)))
	if err != nil || len(came) == 0 {
		return err
	}
	had, err := having(ctx, k.repo, came)
	if err == nil && len(had) < len(came) {
		err = &sync.Refused{Why: "a commit of yours has a secret that the captain gave agents beside git: bring your work into a new commit without it (git reset --soft, git commit)", Paths: []string{"an earlier commit"}}
	}
	return err
}

// having returns the ids of the objects that a repository has.
func having(ctx context.Context, r git.Repo, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := r.Resolve(ctx, ids...)
	return slices.DeleteFunc(found, func(id string) bool { return id == "" }), err
}
