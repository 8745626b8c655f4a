package ship

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/whole"
)

// readyFile exists once initialize is complete.
const readyFile = "ocaptain/ready"

func (s *ship) ready() bool {
	_, err := os.Lstat(s.Path(readyFile))
	return err == nil
}

// open makes a repository if there is none. It moves an unreadable repository aside, so that nothing is lost; the
// tree's files stay, and the checkout parks them.
func (s *ship) open(ctx context.Context) error {
	if s.ready() {
		if err := s.dropBroken(ctx); err == nil {
			return s.arm(ctx)
		} else if git.Unanswered(ctx, err) {
			return err
		}
		if _, err := aside(s.Dir, ".git"); err != nil {
			return err
		}
	}
	if err := s.initialize(ctx); err != nil {
		return err
	}
	return s.arm(ctx)
}

// dropBroken removes files of our refs that name no object, as a power failure can leave them.
func (s *ship) dropBroken(ctx context.Context) error {
	refs := []string{"refs/heads/" + s.q.Branch, git.ShipBase, git.ShipSnapshot, git.ShipPrior, git.ShipTarget}
	found, err := s.Resolve(ctx, refs...)
	if err != nil {
		return err
	}
	for i, id := range found {
		st, err := os.Lstat(s.Path(refs[i]))
		if id != "" || err != nil || !st.Mode().IsRegular() {
			continue
		}
		if err := os.Remove(s.Path(refs[i])); err != nil {
			return err
		}
	}
	return nil
}

// clearLocks removes locks of dead processes: all on our refs, since only this process holds the tree now, and the
// agent's, if no git command runs in the tree.
func (s *ship) clearLocks() error {
	for _, pattern := range []string{"refs/ocaptain/*.lock", "refs/ocaptain/parked/*.lock"} {
		locks, _ := filepath.Glob(s.Path(pattern))
		for _, lock := range locks {
			os.Remove(lock)
		}
	}
	_, err := s.RemoveAbandonedLocks(append(s.RefLocks([]string{"update refs/heads/" + s.q.Branch}), s.Path("config.lock")))
	return err
}

// arm prepares an existing repository for use: it removes old locks, disarms filters, and undoes an interrupted
// bring.
func (s *ship) arm(ctx context.Context) (err error) {
	if err := s.clearLocks(); err != nil {
		return err
	}
	if s.Repo, err = s.Disarm(ctx); err != nil {
		return err
	}
	return s.undo(ctx)
}

// initialize makes the repository. It can be repeated after a crash.
func (s *ship) initialize(ctx context.Context) error {
	if err := s.clearLocks(); err != nil {
		return err
	}
	if err := s.Run(ctx, "init", "-q", "--template=", "--object-format="+s.q.Format, "--initial-branch="+s.q.Branch); err != nil {
		return err
	}
	if err := configure(s.Repo, s.q.Name, s.q.Mail); err != nil {
		return err
	}
	if len(s.q.Shallow) > 0 {
		if err := os.WriteFile(s.Path("shallow"), []byte(strings.Join(s.q.Shallow, "\n")+"\n"), 0o666); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.Path("ocaptain"), 0o777); err != nil {
		return err
	}
	return os.WriteFile(s.Path(readyFile), nil, 0o666)
}

// configure appends our settings to a new repository's config. It replaces those of an interrupted attempt.
func configure(r git.Repo, name, mail string) error {
	raw, err := os.ReadFile(r.Path("config"))
	if err != nil {
		return err
	}
	const mark = "# what follows is ocaptain's\n"
	text, _, _ := strings.Cut(string(raw), mark)
	value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ")
	text += mark + fmt.Sprintf("[user]\n\tname = \"%s\"\n\temail = \"%s\"\n[gc]\n\tcruftPacks = true\n\tpruneExpire = 1.day.ago\n", value.Replace(name), value.Replace(mail))
	return whole.Write(r.Path("config"), []byte(text), 0o666)
}

// aside moves the path rel out of the tree at dir to a new directory under .aside beside the tree, and returns that
// directory.
func aside(dir, rel string) (string, error) {
	place := filepath.Join(filepath.Dir(dir), ".aside", time.Now().UTC().Format("20060102-150405"))
	for n := 2; ; n++ {
		to := filepath.Join(place, rel)
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return "", err
			}
			return place, os.Rename(filepath.Join(dir, rel), to)
		}
		place = fmt.Sprintf("%s-%d", place, n)
	}
}
