package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"ocaptain/ui/launch/pullrequest"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
)

func prCmd(b *bridge) *cobra.Command {
	var as string
	var push, create bool
	cmd := &cobra.Command{
		Use:         "pr [SESSION]",
		Annotations: map[string]string{goesOut: "with `--push` or `--create`: the branch of the session; title and text from the journal"},
		Short:       "Write the pull request of a session, and push or open it if you ask",
		Long: `Write title and text of a session's pull request: what was asked for, what was done, and how it was verified.

--push brings the branch to the repository, with your own login or with GH_TOKEN where that is set; workers get no key of
yours. --create opens the pull request besides, with gh. Both want a session that is complete. --as NAME pushes the branch under
another name.`,
		Example: `ocaptain pr
ocaptain pr --push --create`,
		Args:              wantArgs("[SESSION]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := b.voyage(strings.Join(args, ""))
			if err != nil {
				return err
			}
			board, err := b.read(cmd.Context(), d)
			if err != nil {
				return err
			}
			if !board.Voyage.Kind.TakesEpics() {
				return newExitError(Refused, "", "%s is no session", title(d))
			}
			verify, err := os.ReadFile(d.VerifyFile())
			if err != nil {
				return err
			}
			r := pullrequest.OfSession(&board.Board, string(verify))
			if !push && !create && as == "" {
				fmt.Fprintf(b.out, "%s\n\n%s", r.Title, r.Text)
				return nil
			}
			if board.Phase != fleet.Complete {
				return newExitError(Refused, "see: ocaptain status "+d.ID(), "%s is %s: only what is complete is pushed", title(d), board.Phase)
			}
			return b.pushSession(cmd.Context(), d, &board.Board, r, as, create)
		},
	}
	cmd.Flags().BoolVar(&push, "push", false, "push the branch to the repository")
	cmd.Flags().StringVar(&as, "as", "", "push the branch under this name")
	cmd.Flags().BoolVar(&create, "create", false, "push, and open a pull request on GitHub with gh")
	return cmd
}

// pushSession pushes the branch of a session, and opens a pull request if create is set.
func (b *bridge) pushSession(ctx context.Context, d fleet.Dir, board *fleet.Board, r pullrequest.Request, as string, create bool) error {
	work, err := b.pushWork(&board.Voyage, create)
	if err != nil {
		return err
	}
	again := "ocaptain pr " + d.ID() + " --push"
	if create {
		again = "ocaptain pr " + d.ID() + " --create"
	}
	return b.push(ctx, work, d, r, cmp.Or(as, r.Branch), again, create)
}
