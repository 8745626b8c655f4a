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

// readyFile marks a repository that was set up to the end.
const readyFile = "ocaptain/ready"

func (s *ship) ready() bool {
	_, err := os.Lstat(s.Path(readyFile))
	return err == nil
}

// open makes sure that there is a repository. It moves an unreadable repository aside, so nothing is lost; the files
// stay where they are, and become leftovers.
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

// dropBroken removes refs of ours that lead nowhere, as a machine that lost power leaves them.
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

// clearLocks removes locks whose owners are dead: ours, since only this process holds the tree now, and the agent's,
// when no git command runs there.
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

// arm fits the repo to the state it is in: its configuration, and what a crash left.
func (s *ship) arm(ctx context.Context) (err error) {
	if err := s.clearLocks(); err != nil {
		return err
	}
	if s.Repo, err = s.Disarm(ctx); err != nil {
		return err
	}
	return s.undo(ctx)
}

// initialize makes the repository, or finishes making it.
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

// configure gives a new repository its settings, in the place of those from an attempt that was cut short.
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

// aside moves something out of the tree at dir to a place beside it, and returns that place.
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
