package cli

import (
	"os"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"ocaptain/tasks/beads"
)

// beadsCmd holds the commands for Beads. It is also the help topic help/beads.md.
func beadsCmd(b *bridge) *cobra.Command {
	cmd := pageTopic(b, "beads", "Merge the issues of Beads, or read what becomes of them")
	cmd.AddCommand(beadsMergeCmd())
	return cmd
}

func beadsMergeCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "merge BASE OURS THEIRS",
		Short: "Merge two versions of the issues, for git",
		Long: `Merge what two branches made of the issues, and write it over OURS: a merge driver of git. Each issue is merged by its id. Of
one that both changed the version counts that was updated last, with the labels, dependencies and comments of both.`,
		Example: `git config merge.beads.driver "ocaptain beads merge %O %A %B"
echo ".beads/issues.jsonl merge=beads" >> .gitattributes`,
		Args: wantArgs("BASE", "OURS", "THEIRS"),
		RunE: func(_ *cobra.Command, args []string) error {
			var sides [3][]byte
			for i, name := range args {
				var err error
				if sides[i], err = os.ReadFile(name); err != nil {
					return newExitError(Usage, "git gives the three files: see ocaptain help beads", "%w", err)
				}
			}
			return renameio.WriteFile(args[1], beads.Merge(sides[0], sides[1], sides[2]), 0o644)
		},
	}
}
