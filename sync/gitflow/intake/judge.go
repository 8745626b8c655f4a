package intake

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/wire"
)

// Judge refuses a commit, which the repository has, if its changes since base include files that the branch must not
// have.
func (k *Intake) Judge(ctx context.Context, base, commit string) error {
	return k.judge(ctx, k.repo, base, commit)
}

func (k *Intake) judge(ctx context.Context, r git.Repo, base, commit string) error {
	c := court{limits: k.limits, withheld: k.withheld, wrongs: map[string][]string{}}
	if err := r.WalkChanges(ctx, base, commit, c.limits.Files+1000, c.entry); err != nil {
		return err
	}
	if err := c.verdict(); err != nil {
		return err
	}
	if err := k.unwithheld(ctx, r); err != nil {
		return err
	}
	return weigh(ctx, r, &c)
}

// court collects the faults of a set of changed files.
type court struct {
	limits   git.Limits
	withheld map[string]bool // ids of objects that no commit of a remote may have
	changed  int
	files    []file // new or changed files
	wrongs   map[string][]string
}

// file is a changed file.
type file struct {
	id, path string
	link     bool
}

// entry judges one changed file.
func (c *court) entry(path string, is git.Change) error {
	mode, id := is.After.Mode, is.After.ID
	if c.changed++; c.changed > c.limits.Files {
		return fmt.Errorf("more than %d files changed", c.limits.Files)
	}
	if !is.After.Exists() {
		return nil
	}
	if why := git.BadPath(path); why != "" {
		c.wrong(why, path)
		return nil
	}
	if git.IsModules(path) || mode == "160000" {
		c.wrong("submodules can't be changed by a remote: leave that to the captain", path)
		return nil
	}
	if c.withheld[id] {
		c.wrong("files have a secret that the captain gave agents beside git, and it belongs into no commit: remove them, and name the captain's file in their place", path)
		return nil
	}
	switch mode {
	case "100644", "100755", git.LinkMode:
		c.files = append(c.files, file{id, path, mode == git.LinkMode})
	default:
		c.wrong("not a file, a symbolic link or a directory", path)
	}
	return nil
}

func (c *court) wrong(why, path string) {
	if len(c.wrongs[why]) < wire.MaxListed {
		c.wrongs[why] = append(c.wrongs[why], path)
	}
}

// verdict returns a *sync.Refused for one of the faults, nil if there is none.
func (c *court) verdict() error {
	for why, paths := range c.wrongs {
		return &sync.Refused{Why: why, Paths: paths}
	}
	return nil
}

// weigh checks the size of each file, and of all together.
func weigh(ctx context.Context, r git.Repo, c *court) error {
	if len(c.files) == 0 {
		return nil
	}
	ids := make([]string, len(c.files))
	for i, f := range c.files {
		ids[i] = f.id
	}
	all, err := r.Objects(ctx, ids...)
	if err != nil {
		return fmt.Errorf("files from the remote: %w", err)
	}
	var total int64
	for i, f := range c.files {
		n := all[i].Size
		if all[i].Kind != "blob" {
			return fmt.Errorf("files from the remote: %s is missing", git.PlainText(f.path))
		}
		if n > c.limits.File {
			c.wrong("files are larger than the limit of "+humanize.IBytes(uint64(c.limits.File)), f.path)
		}
		if f.link && n > git.MaxLink {
			c.wrong("a symbolic link is too long", f.path)
		}
		total += n
	}
	if total > c.limits.Total {
		return &sync.Refused{Why: fmt.Sprintf("changed files have %s together, more than the limit of %s", humanize.IBytes(uint64(total)), humanize.IBytes(uint64(c.limits.Total))), Paths: []string{c.files[0].path}}
	}
	return c.verdict()
}
