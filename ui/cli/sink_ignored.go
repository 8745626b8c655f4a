package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

func keepIgnoredFlag(cmd *cobra.Command, keep *bool) {
	cmd.Flags().BoolVar(keep, "keep-ignored", false, "copy the files that git ignores to artifacts/SHIP first, at most 1 GiB of each ship")
}

// ignoredFiles says which ships of a board have files that git ignores.
func ignoredFiles(board fleet.Board) []string {
	var all []string
	for i := range board.Ships {
		if text := words.Ignored(&board.Ships[i]); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// warnIgnored names files that are destroyed with the ships.
func (b *bridge) warnIgnored(ignored []string) {
	for _, text := range ignored {
		writeWarning(b.err, text+": destroyed with it; --keep-ignored copies them first", 0)
	}
}

// keepIgnored copies the files that git ignores into the directories of the voyages: of those ships, or of all without names.
func (b *bridge) keepIgnored(ctx context.Context, dirs []fleet.Dir, names ...string) error {
	client, err := b.connectHelm(ctx)
	if err != nil {
		return err
	}
	for _, d := range dirs {
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
				return fmt.Errorf("%s: its machine stays: %w", d.ID(), err)
			}
			if k.Found.Files > 0 {
				fmt.Fprintf(b.out, "%s %s: %d of %d ignored files are in %s\n", theme.Yes.Style.Render(theme.Yes.Glyph), name, k.Kept.Files, k.Found.Files, k.Dir)
			}
		}
	}
	return nil
}
