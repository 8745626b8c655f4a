package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/hub"
	"ocaptain/tasks"
)

func cloneCmd(b *bridge) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:         "clone [VOYAGE]",
		Annotations: map[string]string{goesOut: "branches, which hold what was let in and what you did yourself; besides, under names of their own, work that is not merged or was put aside, which nobody judged"},
		Short:       "Clone the merged work into a directory of your own",
		Long: `Clone the voyage's branch into a new directory. There the remote "voyage" is the voyage's workspace and, when the
voyage began from a repository, "origin" is that repository, so that you can push the branch. What ships have or had
that was not merged is there as voyage/unmerged/SHIP, and what was put aside as voyage/parked/SHIP/TIME. Of a pool, the work of
each dispatch is there as voyage/dispatch/WORKER-N. In a voyage with one tree, ships bring what they have first, and what is not
committed of that tree is there as voyage/unmerged/tree.`,
		Example: `ocaptain clone
ocaptain clone voyage-3f9a -d ./my-copy`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := b.voyage(strings.Join(args, ""))
			if err != nil {
				return err
			}
			v, err := fleet.LoadVoyage(d)
			if err != nil {
				return err
			}
			b.flush(cmd.Context(), d, v)
			if dir == "" {
				dir = repoName(v) + "-" + v.ID
			}
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(b.cwd, dir)
			}
			if err := cloneInto(cmd.Context(), d, v, dir); err != nil {
				return err
			}
			fmt.Fprintln(b.out, clean.Line(dir+", on branch "+v.Branch))
			kept, err := fetchUnmerged(cmd.Context(), d, dir)
			for _, k := range kept {
				fmt.Fprintln(b.out, clean.Line("work that was not merged: "+k))
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&dir, "dir", "d", "", "directory to make (default REPOSITORY-VOYAGE)")
	return cmd
}

// flush has all ships of a shared tree send their newest changes, and reports what did not arrive.
func (b *bridge) flush(ctx context.Context, d fleet.Dir, v fleet.Voyage) {
	if v.Sync != fleet.SyncLive {
		return
	}
	var done api.Flushed
	client, err := b.connectHelm(ctx)
	if err == nil {
		done, err = client.FlushTree(ctx, d.ID())
	}
	if err != nil {
		done.Missing = append(done.Missing, "what ships changed last may not have come: "+err.Error())
	}
	for _, text := range done.Missing {
		fmt.Fprintln(b.err, clean.Line(text))
	}
}

// repoName returns the last part of the repository's name.
func repoName(v fleet.Voyage) string {
	repo, err := tasks.ParseRepo(v.Repo)
	if err != nil || repo.Kind == tasks.RepoFresh {
		return "voyage"
	}
	name := strings.TrimSuffix(strings.TrimRight(repo.Name, "/"), ".git")
	name = filepath.Base(name[strings.LastIndexByte(name, ':')+1:])
	if name == "." || name == ".." || name == "/" || name == "~" {
		return "voyage"
	}
	return name
}

// cloneInto makes a clone, or leaves nothing behind.
func cloneInto(ctx context.Context, d fleet.Dir, v fleet.Voyage, dir string) (err error) {
	if err := os.Mkdir(dir, 0o755); os.IsExist(err) {
		return newExitError(Refused, "name another directory with: --dir DIR", "%s is there already", dir)
	} else if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	if err := branch.Remake(ctx, d.Workspace(), v.Branch); err != nil {
		return fmt.Errorf("branch %s: %w", v.Branch, err)
	}
	_, err = gitOutput(ctx, filepath.Dir(dir), "clone", "--quiet", "--origin", "voyage", "--no-hardlinks", "--single-branch", "--branch", v.Branch,
		"--template=", "--end-of-options", d.Workspace(), dir)
	if err != nil {
		return err
	}
	if v.PoolName() != "" {
		if _, err = gitOutput(ctx, dir, "remote", "set-branches", "--add", "voyage", "dispatch/*"); err == nil {
			_, err = gitOutput(ctx, dir, "fetch", "--quiet", "--no-tags", "voyage")
		}
		if err != nil {
			return err
		}
	}
	repo, e := tasks.ParseRepo(v.Repo)
	if e != nil || repo.Kind == tasks.RepoFresh {
		return nil
	}
	home, _ := os.UserHomeDir()
	_, err = gitOutput(ctx, dir, "remote", "add", "origin", repo.Source("/", home))
	return err
}

// maxUnmerged bounds how many pieces of unmerged work are fetched.
const maxUnmerged = 1000

// fetchUnmerged fetches unmerged work into a clone, and returns the names of its refs there.
func fetchUnmerged(ctx context.Context, d fleet.Dir, dir string) (names []string, err error) {
	refs, err := gitOutput(ctx, d.Workspace(), "for-each-ref", "--format=%(objectname) %(refname)", "refs/ocaptain/live/", "refs/ocaptain/parked/", "refs/ocaptain/open")
	if err != nil {
		return nil, err
	}
	args := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "voyage"}
	have := map[string]bool{}
	for line := range strings.SplitSeq(refs, "\n") {
		id, ref, _ := strings.Cut(line, " ")
		name := strings.TrimPrefix(ref, "refs/ocaptain/")
		if name == "open" {
			name = "unmerged/tree"
		}
		if ship, live := strings.CutPrefix(name, "live/"); live {
			if from, tip, err := hub.Unmerged(ctx, d.Workspace(), ship); err != nil || from == tip {
				continue
			}
			name = "unmerged/" + ship
		}
		if id == "" || have[id] || len(names) == maxUnmerged {
			continue
		}
		have[id] = true
		args, names = append(args, "+"+ref+":refs/remotes/voyage/"+name), append(names, "voyage/"+name)
	}
	if len(names) == 0 {
		return nil, nil
	}
	_, err = gitOutput(ctx, dir, args...)
	return names, err
}
