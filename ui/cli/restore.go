package cli

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/sync/gitflow/workspace"
	"ocaptain/ui/words"
)

// maxCopies is how many copies of a tree are searched, and maxShown how many are listed.
const (
	maxCopies = 20_000
	maxShown  = 20
)

func restoreCmd(b *bridge) *cobra.Command {
	var voyage, at string
	cmd := &cobra.Command{
		Use:   "restore [PATH...]",
		Short: "Bring files back in the tree that all share",
		Long: `In a voyage with one tree (sail --sync live), helm copies the tree every few seconds while it changes, all but what git ignores. Make
files what they were then: those that are named and all below, or all files. Every ship gets them. The tree is copied before, so
that this can be undone as well. Where the trees were paused, as much of them went away, they go on.

Without --at, list the newest copies.`,
		Example: `ocaptain restore
ocaptain restore --at 10m src
ocaptain restore --at 14:05:30`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, client, err := b.voyageAtHelm(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			board, err := client.Board(cmd.Context(), d.ID())
			if err != nil {
				return err
			}
			copies, err := workspace.Copies(cmd.Context(), d.Workspace(), board.Voyage.Branch, maxCopies)
			if err != nil {
				return err
			}
			if at == "" {
				return b.listCopies(copies)
			}
			when, ok := momentOf(at, b.now())
			if !ok {
				return usageError("--at %.40q is no time: write 10m for ten minutes ago, 14:05:30, or 2026-01-31T14:05:30Z", at)
			}
			for _, c := range copies {
				if !c.At.After(when) {
					return b.restoreFrom(cmd.Context(), client, d, c, args)
				}
			}
			return newExitError(NotFound, "ocaptain restore lists the copies", "there is no copy of the tree from %s or before", when.Format(time.DateTime))
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().StringVar(&at, "at", "", "as of then: a span like 10m ago, a time of today, or a whole one")
	return cmd
}

// momentOf reads the time that the captain typed.
func momentOf(text string, now time.Time) (time.Time, bool) {
	if span, err := time.ParseDuration(text); err == nil && span >= 0 {
		return now.Add(-span), true
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, true
	}
	for _, form := range []string{"15:04:05", "15:04"} {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			y, m, d := now.Date()
			return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, now.Location()), true
		}
	}
	return time.Time{}, false
}

func (b *bridge) listCopies(copies []workspace.Copy) error {
	if len(copies) == 0 {
		fmt.Fprintln(b.out, "there is no copy of a tree that all share")
	}
	for _, c := range copies[:min(len(copies), maxShown)] {
		fmt.Fprintf(b.out, "%s  %s\n", c.At.In(b.now().Location()).Format(time.DateTime), words.ShortCommit(c.Commit))
	}
	if more := len(copies) - maxShown; more > 0 {
		fmt.Fprintf(b.out, "and %s\n", words.Counted(more, "older one"))
	}
	return nil
}

func (b *bridge) restoreFrom(ctx context.Context, client *api.Client, d fleet.Dir, c workspace.Copy, paths []string) error {
	for i := range paths {
		paths[i] = path.Clean(paths[i])
	}
	done, err := client.RestoreTree(ctx, d.ID(), api.RestoreRequest{Commit: c.Commit, Paths: paths})
	if err != nil {
		return err
	}
	for _, file := range done.Files[:min(len(done.Files), maxShown)] {
		fmt.Fprintln(b.out, clean.Line(file))
	}
	fmt.Fprintf(b.out, "%s as of %s\n", words.Counted(len(done.Files), "file"), c.At.In(b.now().Location()).Format(time.DateTime))
	return nil
}
