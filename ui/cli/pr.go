package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/ui/launch"
)

func prCmd(b *bridge) *cobra.Command {
	var push, create bool
	cmd := &cobra.Command{
		Use:   "pr [SESSION]",
		Short: "Write the pull request of a session, and push or open it if you ask",
		Long: `Write title and text of a session's pull request: what was asked for, what was done, and how it was verified.

--push brings the branch to the repository, with your own login or with GH_TOKEN where that is set; workers get no key of
yours. --create opens the pull request besides, with gh. Both want a session that is complete.`,
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
			if board.Voyage.Kind != fleet.Session {
				return newExitError(Refused, "", "%s is no session", d.ID())
			}
			verify, err := os.ReadFile(d.VerifyFile())
			if err != nil {
				return err
			}
			r := launch.SessionRequest(&board.Board, string(verify))
			if !push && !create {
				fmt.Fprintf(b.out, "%s\n\n%s", r.Title, r.Text)
				return nil
			}
			if board.Phase != fleet.Complete {
				return newExitError(Refused, "see: ocaptain status "+d.ID(), "%s is %s: only what is complete is pushed", d.ID(), board.Phase)
			}
			return b.pushSession(cmd.Context(), d, &board.Board, r, create)
		},
	}
	cmd.Flags().BoolVar(&push, "push", false, "push the branch to the repository")
	cmd.Flags().BoolVar(&create, "create", false, "push, and open a pull request on GitHub with gh")
	return cmd
}

// pushSession pushes the branch of a session, and opens a pull request if that is wanted.
func (b *bridge) pushSession(ctx context.Context, d fleet.Dir, board *fleet.Board, r launch.PullRequest, create bool) error {
	o, err := b.launchYard().SessionOrder(&board.Voyage)
	if err == nil {
		err = o.CheckPush(create)
	}
	if err != nil {
		return orderError(err)
	}
	return b.push(ctx, o, d, r, create)
}

// push brings a branch to its repository, and opens a pull request if that is wanted.
func (b *bridge) push(ctx context.Context, o *launch.Order, d fleet.Dir, r launch.PullRequest, open bool) error {
	y := b.launchYard()
	if err := y.Push(ctx, o, d, r.Branch); err != nil {
		return err
	}
	fmt.Fprintln(b.err, clean.Line(r.Branch+" is pushed to "+o.Repo.String()))
	if !open {
		return nil
	}
	address, err := y.OpenPullRequest(ctx, o, r)
	if err == nil {
		fmt.Fprintln(b.err, "pull request: "+address)
	}
	return err
}
