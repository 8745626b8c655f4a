package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

func keepIgnoredFlag(cmd *cobra.Command, keep *bool) {
	cmd.Flags().BoolVar(keep, "keep-ignored", false, "copy the files that git ignores to artifacts/SHIP first, at most 1 GiB of each ship")
}

// ignoredFiles says which ships of a board have git-ignored files.
func ignoredFiles(board fleet.Board) []string {
	var all []string
	for i := range board.Ships {
		if text := words.Ignored(&board.Ships[i]); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// warnIgnored names the git-ignored files that are destroyed with the ships.
func (b *bridge) warnIgnored(ignored []string) {
	for _, text := range ignored {
		writeWarning(b.err, text+": destroyed with it; --keep-ignored copies them first", 0)
	}
}

// keepIgnored copies the git-ignored files of the named ships, or of all ships, into the directories of the voyages. Without force it fails
// when a file cannot be copied.
func (b *bridge) keepIgnored(ctx context.Context, force bool, dirs []fleet.Dir, names ...string) error {
	client, err := b.connectHelm(ctx)
	if err != nil {
		return err
	}
	for _, d := range dirs {
		if _, err := os.Stat(string(d)); err != nil {
			return newExitError(Missing, "leave --keep-ignored out to lose them", "%s: its machines stay, as files that git ignores have no place any more: %w", title(d), err)
		}
		ships := names
		if len(ships) == 0 {
			f, err := fleet.LoadFleet(d)
			if err != nil {
				return err
			}
			for _, s := range f.Ships {
				if s.Phase == fleet.Afloat {
					ships = append(ships, s.Name)
				}
			}
		}
		for _, name := range ships {
			k, err := client.KeepIgnored(ctx, d.ID(), name)
			if err != nil {
				return newExitError(Failed, "try again, or leave --keep-ignored out to lose them", "%s: its machine stays: %w", title(d), err)
			}
			if err := b.reportKept(name, k, force); err != nil {
				return err
			}
		}
	}
	return nil
}

// reportKept prints what was copied. Without force it fails when a file was not copied.
func (b *bridge) reportKept(ship string, k api.KeptIgnored, force bool) error {
	if k.Found.Files == 0 {
		return nil
	}
	mark := theme.Yes
	if !k.IsWhole() {
		mark = theme.Warn
	}
	fmt.Fprintf(b.out, "%s %s: %d of %d ignored files are in %s\n", mark.Style.Render(mark.Glyph), ship, k.Kept.Files, k.Found.Files, k.Dir)
	if k.IsWhole() || force {
		return nil
	}
	return newExitError(Refused, "add --force to lose the others", "%s: its machine stays, as the other files are too large, too many or cannot be read; it has %s", ship, clean.Line(k.Found.ListText()))
}
