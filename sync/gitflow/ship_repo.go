package gitflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// readyFile marks a repository that was set up to the end.
const readyFile = "ocaptain/ready"

func (s *ship) ready() bool {
	_, err := os.Lstat(s.path(readyFile))
	return err == nil
}

// open makes sure that there is a repository. One that git can't read any more is moved aside, not lost; its files stay
// where they are, and become leftovers.
func (s *ship) open(ctx context.Context) error {
	if s.ready() {
		if err := s.dropBroken(ctx); err == nil {
			return s.arm(ctx)
		} else if unanswered(ctx, err) {
			return err
		}
		if _, err := s.aside(".git"); err != nil {
			return err
		}
	}
	if err := s.initialize(ctx); err != nil {
		return err
	}
	return s.arm(ctx)
}

// dropBroken removes refs of ours that lead nowhere, as a machine that lost power leaves them.
func (s *ship) dropBroken(ctx context.Context) error {
	refs := []string{"refs/heads/" + s.q.Branch, shipBase, shipShot, shipPrior, shipTo}
	found, err := s.resolve(ctx, refs...)
	if err != nil {
		return err
	}
	for i, id := range found {
		st, err := os.Lstat(s.path(refs[i]))
		if id != "" || err != nil || !st.Mode().IsRegular() {
			continue
		}
		if err := os.Remove(s.path(refs[i])); err != nil {
			return err
		}
	}
	return nil
}

// clearLocks removes locks whose owners are dead: ours, since nobody else holds the tree now, and the agent's, when no
// git command runs there.
func (s *ship) clearLocks() error {
	for _, pattern := range []string{"refs/ocaptain/*.lock", "refs/ocaptain/parked/*.lock"} {
		locks, _ := filepath.Glob(s.path(pattern))
		for _, lock := range locks {
			os.Remove(lock)
		}
	}
	_, err := s.unlock(append(s.refLocks([]string{"update refs/heads/" + s.q.Branch}), s.path("config.lock")))
	return err
}

// arm fits the repo to the state it is in: its configuration, and what a crash left.
func (s *ship) arm(ctx context.Context) (err error) {
	if err := s.clearLocks(); err != nil {
		return err
	}
	if s.repo, err = s.disarm(ctx); err != nil {
		return err
	}
	return s.undo(ctx)
}

// initialize makes the repository, or finishes making it.
func (s *ship) initialize(ctx context.Context) error {
	if err := s.clearLocks(); err != nil {
		return err
	}
	if err := s.quiet(ctx, "init", "-q", "--template=", "--object-format="+s.q.Format, "--initial-branch="+s.q.Branch); err != nil {
		return err
	}
	for _, kv := range [][2]string{
		{"user.name", s.q.Name},
		{"user.email", s.q.Mail},
		{"gc.cruftPacks", "true"},
		{"gc.pruneExpire", "1.day.ago"},
	} {
		if err := s.quiet(ctx, "config", kv[0], kv[1]); err != nil {
			return err
		}
	}
	if len(s.q.Shallow) > 0 {
		if err := os.WriteFile(s.path("shallow"), []byte(strings.Join(s.q.Shallow, "\n")+"\n"), 0o666); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.path("ocaptain"), 0o777); err != nil {
		return err
	}
	return os.WriteFile(s.path(readyFile), nil, 0o666)
}

// aside moves something out of the tree to a place beside it, and returns that place.
func (s *ship) aside(rel string) (string, error) {
	place := filepath.Join(filepath.Dir(s.dir), ".aside", time.Now().UTC().Format("20060102-150405"))
	for n := 2; ; n++ {
		to := filepath.Join(place, rel)
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return "", err
			}
			return place, os.Rename(filepath.Join(s.dir, rel), to)
		}
		place = fmt.Sprintf("%s-%d", place, n)
	}
}

// operations name what git may be in the middle of, by the files that say so.
var operations = []struct{ file, word string }{
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"rebase-merge", "rebase"},
	{"rebase-apply", "rebase"},
	{"sequencer", "cherry-pick or revert"},
}

// operating says what git is in the middle of, or "".
func (r repo) operating() string {
	for _, op := range operations {
		if _, err := os.Lstat(r.path(op.file)); err == nil {
			return op.word
		}
	}
	return ""
}

// endOperation drops whatever git is in the middle of.
func (r repo) endOperation() error {
	rest := []string{
		"MERGE_MSG", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE", "SQUASH_MSG", "REBASE_HEAD",
		"BISECT_LOG", "BISECT_NAMES", "BISECT_START", "BISECT_TERMS", "BISECT_EXPECTED_REV", "BISECT_RUN",
	}
	for _, op := range operations {
		rest = append(rest, op.file)
	}
	for _, name := range rest {
		if err := os.RemoveAll(r.path(name)); err != nil {
			return err
		}
	}
	return nil
}
