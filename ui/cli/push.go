package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ocaptain/ui/launch/pullrequest"

	"ocaptain/fleet/dispatch"
	"ocaptain/sync/gitflow/origin"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/ui/launch/repository"
)

func pushCmd(b *bridge) *cobra.Command {
	var voyage, as string
	var pr bool
	cmd := &cobra.Command{
		Use:         "push DISPATCH",
		Annotations: map[string]string{goesOut: "the branch of that dispatch"},
		Short:       "Push the work of a dispatch to the repository",
		Long: `Push the branch of a dispatch that is done, as "dispatch --push" does, with your own login, or with GH_TOKEN where
that is set. Where the repository has other work under the branch's name, -2, -3 and so on is added to it. It can be
repeated, also after the pool was sunk. The branch of a session is pushed with: ocaptain pr --push`,
		Example: `ocaptain push 7 --voyage kite
ocaptain push 7 --voyage kite --as fix-login --pr`,
		Args: wantArgs("DISPATCH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := b.voyage(voyage)
			if err != nil {
				return err
			}
			v, err := b.readLive(cmd.Context(), d)
			if err != nil {
				return err
			}
			all, err := dispatches(cmd.Context(), d, &v)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(all, func(r dispatch.Result) bool { return r.Task == args[0] })
			switch {
			case i < 0:
				return newExitError(NotFound, "see: ocaptain pool history", "%s has no dispatch %s", title(d), clean.Line(args[0]))
			case all[i].State != dispatch.Done:
				return newExitError(Refused, "", "dispatch %s is %s: only what is done is pushed", args[0], all[i].State)
			}
			work, err := b.pushWork(&v.Voyage, pr)
			if err != nil {
				return err
			}
			return b.pushDone(cmd.Context(), work, d, &all[i], as, pr)
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().StringVar(&as, "as", "", "push the branch under this name")
	cmd.Flags().BoolVar(&pr, "pr", false, "push, and open a pull request on GitHub with gh")
	return cmd
}

// pushWork returns the repository to which the work of a voyage can be pushed, and with pr become a pull request.
func (b *bridge) pushWork(v *fleet.Voyage, pr bool) (*repository.Work, error) {
	work, err := b.launchYard().WorkOf(v)
	if err == nil {
		err = work.CheckPush(pr)
	}
	return work, orderError(err)
}

// pushDone pushes the branch of a finished dispatch under the name as, or for "" under a free name derived from the
// branch's own.
func (b *bridge) pushDone(ctx context.Context, work *repository.Work, d fleet.Dir, r *dispatch.Result, as string, pr bool) error {
	if r.Commit == r.Base {
		return fmt.Errorf("dispatch %s has changed nothing: there is nothing to push", r.Task)
	}
	again := fmt.Sprintf("ocaptain push %s --voyage %s", r.Task, d.ID())
	if pr {
		again += " --pr"
	}
	return b.push(ctx, work, d, pullrequest.OfDispatch(r), as, again, pr)
}

// push pushes a branch to its repository under the name as, or for "" under a free name derived from the branch's own. With open
// it opens a pull request. again is the command that repeats the push.
func (b *bridge) push(ctx context.Context, work *repository.Work, d fleet.Dir, r pullrequest.Request, as, again string, open bool) error {
	as, err := work.Push(ctx, d.Workspace(), r.Branch, as)
	if err != nil {
		return pushError(err, again)
	}
	text := r.Branch + " is pushed to " + work.Repo.String()
	if as != r.Branch {
		text += " as " + as
	}
	fmt.Fprintln(b.err, clean.Line(text))
	if !open {
		return nil
	}
	r.Branch = as
	address, err := r.Open(ctx, work.GitHubName(), work.Token, b.hub.Home, b.environ)
	if err == nil {
		fmt.Fprintln(b.err, "pull request: "+address)
	}
	return err
}

// pushError adds to an error how to push again. Nothing is lost: the branch is in the voyage's workspace.
func pushError(err error, again string) error {
	var refused *origin.RefusedPush
	switch {
	case !errors.As(err, &refused):
		return newExitError(Failed, "the work is kept here; to push it again: "+again, "%w", err)
	case refused.Taken:
		return newExitError(Refused, "the work is kept here; to push it under another name: "+again+" --as NAME", "%w", err)
	}
	return newExitError(Refused, "the work is kept here; once the repository lets you push: "+again+" [--as NAME]", "%w", err)
}
