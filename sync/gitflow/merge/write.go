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

// Write gives a file of the branch other content, as one commit with nothing else in it. change makes it of what the branch has, nil for
// no file; what stays the same makes no commit. change may be called again when the branch moves meanwhile.
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

// write is one try. It has the merge lock, as a merge that others do not notice.
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

// except is a tree or commit with files as they are in another one.
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
		entry := "0 " + strings.Repeat("0", len(base)) // which takes it out
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
