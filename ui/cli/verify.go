package cli

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
)

func verifyCmd(b *bridge) *cobra.Command {
	var asJSON, accept bool
	cmd := &cobra.Command{
		Use:   "verify [VOYAGE]",
		Short: "Run the plan's verify.sh on the merged work",
		Long: `Run the plan's verify.sh on a ship, in a clean checkout of the voyage's branch. It runs by itself when all tasks are
completed; this runs it again, or early. Nothing of it runs on this machine unless the ship is on it.

When verify.sh is not what it was when the voyage began, it is not run. Put it back, or agree to what you have changed with --accept.

It runs in an empty home, without the agent's settings, caches and programs. What remains possible: the repository's own code runs in
it, beside processes of the agent, which is the same user. An agent that is root of its machine can replace the machine's programs.`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := b.voyage(strings.Join(args, ""))
			if err != nil {
				return err
			}
			client, err := b.connectHelm(cmd.Context())
			if err != nil {
				return err
			}
			failed := client.Verify(cmd.Context(), d.ID(), api.VerifyRequest{Accept: accept}, b.reporter().report)
			board, err := client.Board(cmd.Context(), d.ID())
			if err != nil {
				return orError(failed, err)
			}
			if asJSON {
				if err := printJSON(b.raw, board.Verify); err != nil {
					return err
				}
			} else {
				writeVerdict(b, board)
			}
			return failed
		},
	}
	jsonFlag(cmd, &asJSON, reflect.TypeFor[fleet.Verify]())
	cmd.Flags().BoolVar(&accept, "accept", false, "first agree to verify.sh, spec.md and prompts as they are now")
	return cmd
}

// writeVerdict prints the result of a verification, with its output when it failed.
func writeVerdict(b *bridge, board fleet.Board) {
	if !board.Verify.Passed && board.Verify.Output != "" {
		fmt.Fprintln(b.out, theme.Dim.Render(strings.TrimRight(clean.Text(board.Verify.Output), "\n")))
	}
	fmt.Fprintln(b.out, "verify "+verifyWord(board, b.now()))
}

// orError returns the first error that is not nil.
func orError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
