package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/gitflow/staging"
)

// Write changes one file of the branch, as one commit with nothing else in it. change gets the file's content, nil if
// there is no file, and returns the new content; if that is the same, Write makes no commit. change may be called
// again when the branch moves meanwhile.
func (m *Merger) Write(ctx context.Context, file string, order sync.Merge, change func(was []byte) ([]byte, error)) (sync.Merged, error) {
	done, err := branch.Persist(ctx, m.Branch, func() (sync.Merged, error) {
		if err := checkOrder(order); err != nil {
			return sync.Merged{}, err
		}
		var a Result
		var err error
		for range mergeTries {
			if a, err = m.write(ctx, file, order, change); !errors.Is(err, staging.ErrMoved) {
				break
			}
		}
		return a.Outcome(), err
	})
	if err != nil {
		return sync.Merged{}, fmt.Errorf("write %s: %w", git.PlainText(file), err)
	}
	return done, nil
}

// write is one try of Write. It holds the merge lock from start to end, since it is short.
func (m *Merger) write(ctx context.Context, file string, order sync.Merge, change func(was []byte) ([]byte, error)) (a Result, err error) {
	w, release, err := m.begin(ctx, &a)
	if err != nil {
		return a, err
	}
	defer release()
	a.Commit = a.Head
	was, err := m.Branch.File(ctx, a.Head, file)
	if err != nil {
		return a, err
	}
	now, err := change(was)
	if err != nil || was != nil && bytes.Equal(was, now) {
		return a, err
	}
	if a.Tree, err = m.withFiles(ctx, w.Repo, a.Head, map[string][]byte{file: now}); err != nil {
		return a, err
	}
	all, err := w.Changes(ctx, a.Head, a.Tree)
	if err != nil {
		return a, err
	}
	for name := range all {
		if name != file {
			return a, notAdded("write file %s: it takes the place of %s: move that away", git.PlainText(file), git.PlainText(name))
		}
	}
	author, err := origin.ParsePerson(order.Author)
	if err != nil {
		return a, err
	}
	if a.Commit, err = w.With(git.IdentityEnv("AUTHOR", author.Name, author.Mail)...).WriteCommit(git.Commit{Tree: a.Tree, Parents: []string{a.Head}, Message: message(order)}); err != nil {
		return a, err
	}
	a.changed = len(all)
	return a, finish(ctx, w, Work{Merge: order}, &a)
}

// except returns a tree like commit, but with files as they are in base, and a note for each file that differed.
func except(ctx context.Context, r git.Repo, base, commit string, files []string) (string, []string, error) {
	var notes []string
	for _, file := range files {
		found, err := r.Resolve(ctx, base+":"+file, commit+":"+file)
		if err != nil {
			return "", nil, err
		}
		if found[0] == found[1] {
			continue
		}
		entry := "0 " + strings.Repeat("0", len(base)) // removes the file
		if found[0] != "" {
			entry = "100644 " + found[0]
		}
		if commit, err = staging.WithEntries(ctx, r, commit, entry+"\t"+file+"\x00"); err != nil {
			return "", nil, err
		}
		notes = append(notes, fmt.Sprintf("what it changed in %s is left out: that file is written here", git.PlainText(file)))
	}
	return commit, notes, nil
}
