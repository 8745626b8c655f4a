package repository

import (
	"context"
	"io"
	"slices"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/ui/changes"
	"ocaptain/ui/launch/problem"
)

// Changed says which uncommitted changes the working tree of a repository has.
type Changed struct {
	dir       string
	Tracked   bool   // a tracked file is changed
	unsure    string // a file that only a filter could compare with the index, "" for none
	untracked string // an untracked file, "" for none
}

// Uncommitted finds changes in the working tree whose top is dir. It runs no filter. It does not look into submodules,
// whose own configuration could define filters too: ships get none of their files.
func Uncommitted(ctx context.Context, dir string) Changed {
	c := Changed{dir: dir}
	filters, err := OwnFilters(ctx, dir)
	if err != nil {
		return c
	}
	var off [][2]string
	for _, name := range filters {
		off = append(off, git.WithoutFilter(name)...)
	}
	args := []string{"status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty"}
	if ignore, err := origin.CaptainIgnores(ctx, dir); err == nil && ignore != "" {
		args = append([]string{"-c", "core.excludesFile=" + ignore}, args...)
	}
	said, err := runGit(ctx, dir, off, nil, args...)
	if err != nil {
		return c
	}
	var written []string // files whose content differs from what is stored
	for entry := range strings.SplitSeq(said, "\x00") {
		if len(entry) < 4 { // after the last entry
			continue
		}
		switch state, name := entry[:2], entry[3:]; {
		case state == " M":
			written = append(written, name)
		case state != "??":
			c.Tracked = true
		case c.untracked == "":
			c.untracked = name
		}
	}
	filtered, err := haveFilter(ctx, dir, written)
	if c.Tracked = c.Tracked || err != nil || len(filtered) < len(written); len(filtered) > 0 {
		c.unsure = filtered[0]
	}
	return c
}

// OwnFilters returns the names of the filters that the configuration of the repository at dir defines, with the files that it
// includes and without the captain's own configuration.
func OwnFilters(ctx context.Context, dir string) ([]string, error) {
	keys, err := runGit(ctx, dir, nil, nil, "config", "--includes", "--name-only", "-z", "--get-regexp", `^filter\..*\.`)
	if err != nil && git.ExitCode(err) != 1 {
		return nil, err
	}
	var names []string
	for key := range strings.SplitSeq(keys, "\x00") {
		if _, name, ok := git.CutKey(key); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// haveFilter returns the files, of those given relative to dir, that attributes send through a filter.
func haveFilter(ctx context.Context, dir string, files []string) (all []string, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	said, err := runGit(ctx, dir, nil, strings.NewReader(strings.Join(files, "\x00")), "check-attr", "-z", "--stdin", "filter")
	found := git.ReadFilters([]byte(said))
	for _, name := range files {
		if _, ok := found[name]; ok { // the name of a filter may be empty
			all = append(all, name)
		}
	}
	return all, err
}

// runGit runs git on the captain's repository at dir and returns its output. The captain's own configuration does not
// apply, and the settings override the repository's.
func runGit(ctx context.Context, dir string, settings [][2]string, in io.Reader, args ...string) (string, error) {
	cmd, out := changes.GitCommand(ctx, dir, args...), bounded.Refuse(git.MaxOutput)
	cmd.Env = append(cmd.Env, git.ConfigEnv(settings)...)
	err := git.RunCommand(ctx, cmd, in, out)
	return out.String(), err
}

// Notes returns notes about files that agents do not get.
func (c Changed) Notes() (notes []problem.Defect) {
	warn := func(what, fix string) {
		notes = append(notes, problem.Defect{What: clean.Line(c.dir + what), Fix: fix})
	}
	if c.unsure != "" {
		warn(" may have changes that are not committed, like in "+c.unsure+": only its filter could tell, which ocaptain does not run",
			"commit them if there are any")
	}
	if c.untracked != "" {
		warn(" has files that are not committed, like "+c.untracked+", and agents do not get them", "commit them if they are needed")
	}
	return notes
}
