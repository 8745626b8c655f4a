package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/archive"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/ui/skills"
	"ocaptain/ui/words"
)

func uninstallCmd(b *bridge) *cobra.Command {
	var force, keep bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Show and remove all that ocaptain has put on this machine and at providers",
		Long: `Remove what ocaptain has put on this machine: its keys and records, what it fetched, its configuration, its skills of Claude Code, and the
voyages with their work. All of it is shown first, and the word must be typed. Nothing is removed as long as a voyage is not sunk, or a
machine of this install is there or may be there at a provider: else nobody would know of it any more.

The program itself stays; where it is is said at the end.`,
		Args: wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := b.nothingOut(cmd); err != nil {
				return err
			}
			left := b.leftovers(cmd.Context(), keep)
			if len(left) == 0 {
				fmt.Fprintln(b.out, "there is nothing of ocaptain but the program")
				return nil
			}
			var lines []string
			for _, l := range left {
				lines = append(lines, clean.Line(l.path+": "+l.what))
			}
			if err := b.confirm(cmd.Context(), "remove all of it", lines, "uninstall", force); err != nil {
				return err
			}
			if err := supervise.Stop(cmd.Context(), b.hub); err != nil {
				return err
			}
			var failed []error
			for _, l := range left {
				err := os.RemoveAll(l.path)
				if failed = append(failed, err); err == nil {
					fmt.Fprintln(b.out, clean.Line("removed "+l.path))
				}
			}
			if !keep {
				_ = os.Remove(b.hub.Voyages) // fails when the directory holds anything else
			}
			if program, err := os.Executable(); err == nil {
				fmt.Fprintln(b.out, clean.Line("the program itself is "+program))
			}
			return errors.Join(failed...)
		},
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask")
	cmd.Flags().BoolVar(&keep, "keep-voyages", false, "leave the voyages with their work")
	return cmd
}

// nothingOut fails while a voyage is not sunk, or while a machine may exist that only this install knows about.
func (b *bridge) nothingOut(cmd *cobra.Command) error {
	dirs, err := fleet.Voyages(b.hub.Voyages).List()
	if err != nil {
		return err
	}
	for _, d := range dirs {
		if f, err := fleet.LoadFleet(d); err != nil || f.Phase != fleet.Sunk {
			return newExitError(Refused, "sink it first: ocaptain sink "+d.ID(), "voyage %s is not sunk", title(d))
		}
	}
	if _, err := os.Stat(b.hub.State); errors.Is(err, fs.ErrNotExist) {
		return nil // ocaptain never made anything
	}
	found, err := b.survey(cmd, nil)
	switch {
	case err != nil:
		return err
	case len(found.Orphans) > 0:
		return newExitError(Refused, "destroy it first: ocaptain sweep", "machine %s is there at %s", found.Orphans[0].Name, found.Orphans[0].Provider)
	case len(found.Unasked) > 0:
		return newExitError(Refused, "see: ocaptain sweep --dry-run", "%s cannot be asked for machines: %s", found.Unasked[0].Provider, found.Unasked[0].Why)
	}
	return nil
}

// leftover is a file or directory of ocaptain's on this machine.
type leftover struct{ path, what string }

// leftovers lists what ocaptain has on this machine, work first.
func (b *bridge) leftovers(ctx context.Context, keep bool) (all []leftover) {
	if dirs, err := fleet.Voyages(b.hub.Voyages).List(); err == nil && !keep {
		for _, d := range dirs {
			board, _ := fleet.ReadBoard(d)
			all = append(all, leftover{string(d), strings.Join(goneWith(ctx, d, &board)[:1], "")})
		}
	}
	if kept := archive.List(fleet.Voyages(b.hub.Voyages)); len(kept) > 0 && !keep {
		all = append(all, leftover{fleet.Voyages(b.hub.Voyages).Archives(), words.Counted(len(kept), "archived voyage")})
	}
	for _, l := range []leftover{
		{b.hub.State, "keys, records of machines, ships on this machine"},
		{b.hub.Config, "your configuration"},
		{b.hub.Cache, "what can be fetched again"},
		{b.hub.Runtime, "sockets"},
	} {
		if _, err := os.Lstat(l.path); l.path != "" && err == nil && !strings.HasPrefix(l.path, b.hub.State+"/") {
			l.what += ", " + words.Amount(archive.Size(l.path)) + "B"
			all = append(all, l)
		}
	}
	place, err := b.skillPlace("")
	if err != nil {
		return all
	}
	for _, s := range skills.All() {
		if state, err := place.StateOf(s); err == nil && (state == skills.Current || state == skills.Other) {
			all = append(all, leftover{filepath.Dir(place.Path(s)), "a skill of Claude Code"})
		}
	}
	return all
}
