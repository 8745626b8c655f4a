package cli

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/follow"
	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

func dispatchCmd(b *bridge) *cobra.Command {
	var c launch.Command
	var is launch.Wish
	var wait, detach, yes, push, pr, asJSON bool
	cmd := &cobra.Command{
		Use:         "dispatch --command TEXT",
		Annotations: map[string]string{goesOut: "with `--push` or `--pr`: the branch of that dispatch"},
		Short:       "Give the next idle worker of a repository something to do",
		Long: `Give a command to the first idle worker of the repository's pool. When none is idle one more is made, up to --max;
then the command waits in the queue. With --provider only workers from there count. The pool is made at the
first dispatch and stays: see ocaptain pool.

The agent gets the command exactly as it is written. Its work goes to a branch of its own, dispatch/WORKER-N, on this
machine. --command - reads it from standard input.

With --wait the command ends when the work is done: 0 when it is, 1 when it failed or needs you. --push waits, and then
pushes the branch with your own login, or with GH_TOKEN where that is set; workers get no key of yours. --pr opens a pull
request besides, with gh.`,
		Example: `ocaptain dispatch --repo . --command "fix the auth bug"
ocaptain dispatch --repo owner/kite --command "update the changelog" --worker kite-2 --wait
ocaptain dispatch --command - < task.md`,
		Args: wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f := cmd.Flags().Lookup("max"); f.Changed && (c.Workers < 1 || c.Workers > config.MostShips) {
				return usageError("--max is %d; give a number from 1 to %d", c.Workers, config.MostShips)
			}
			if err := readText(&c.Text); err != nil {
				return err
			}
			o, err := b.checkDispatch(cmd, is, &c, yes)
			if err == nil && (push || pr) {
				err = orderError(o.Work.CheckPush(pr))
			}
			if err != nil {
				return err
			}
			d, sent, err := b.launchYard().Dispatch(b.lasting, o, c, b.reporter().report)
			switch {
			case err != nil:
				return orderError(err)
			case len(sent.Paused) > 0 && (push || pr || wait):
				fmt.Fprintln(b.err, clean.Line(words.Dispatched(d.ID(), sent)))
			}
			switch {
			case push || pr:
				return b.pushDispatch(cmd.Context(), o, d, sent.Task, pr, asJSON)
			case wait:
				_, err := b.awaitDispatch(cmd.Context(), d, sent.Task, asJSON)
				return err
			case asJSON:
				return printJSON(b.raw, sent)
			}
			return b.sayDispatched(cmd.Context(), d, sent, !detach && b.screen)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&is.Repo, "repo", "r", ".", "repository: owner/repo, a URL, a path, or the name of a configured pool")
	f.StringVarP(&c.Text, "command", "c", "", "what is to be done, or - for what standard input says")
	f.StringVar(&c.Worker, "worker", "", "the worker that is to do it, like kite-2")
	f.StringVar(&c.Base, "base", "", "branch, tag or commit to begin at (default: the newest commit of the repository's own branch)")
	f.BoolVar(&is.Fetch, "fetch", false, fetchUsage)
	f.IntVar(&c.Workers, "max", 0, "how many workers there may be (default 4)")
	f.String("provider", "", "where the worker comes from: "+strings.Join(launch.Providers(), ", "))
	f.String("agent", "", "the program that codes (default claude)")
	f.String("model", "", "model that the agent is asked to use")
	costFlags(cmd)
	f.String("agent-version", "", agentVersionUsage)
	f.Bool("no-telemetry", false, noTelemetryUsage)
	f.BoolVar(&wait, "wait", false, "wait until it is done, and say what came of it")
	f.BoolVar(&push, "push", false, "wait until it is done, and push its branch to the repository")
	f.BoolVar(&pr, "pr", false, "push, and open a pull request on GitHub with gh")
	f.BoolVar(&detach, "detach", false, "return as soon as the command is in the queue, also on a terminal")
	f.BoolVar(&is.Unconfined, "unconfined", false, "agree to agents on this machine or on hosts that no sandbox holds")
	bringFlags(cmd, &is)
	f.BoolVarP(&yes, "yes", "y", false, "do not ask before a machine is made that may cost")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[api.Dispatched](), reflect.TypeFor[dispatch.Result]())
	_ = cmd.MarkFlagRequired("command")
	for _, waits := range []string{"wait", "push", "pr"} {
		cmd.MarkFlagsMutuallyExclusive("detach", waits)
	}
	return cmd
}

// checkDispatch checks a command, and asks the captain for the consent that it needs.
func (b *bridge) checkDispatch(cmd *cobra.Command, is launch.Wish, c *launch.Command, yes bool) (*launch.Order, error) {
	w, err := b.wish(cmd, nil)
	if err != nil {
		return nil, err
	}
	w.Repo, w.Fetch, w.Unconfined, w.Bring, w.NoBring = is.Repo, is.Fetch, is.Unconfined, is.Bring, is.NoBring
	y := b.launchYard()
	y.Asks = b.live
	o, err := y.CheckDispatch(cmd.Context(), w, c)
	b.tellDefects(o)
	if err != nil {
		return nil, orderError(err)
	}
	if err := b.agree(cmd.Context(), o); err != nil {
		return nil, err
	}
	c.Workers, err = b.agreeToMachine(cmd.Context(), o, *c, yes)
	return o, err
}

// pushDispatch waits until a dispatch is done, pushes its branch, and opens a pull request if pr is set.
func (b *bridge) pushDispatch(ctx context.Context, o *launch.Order, d fleet.Dir, task string, pr, asJSON bool) error {
	r, err := b.awaitDispatch(ctx, d, task, asJSON)
	if err != nil {
		return err
	}
	return b.pushDone(ctx, &o.Work, d, r, "", pr)
}

// agreeToMachine asks the captain before a machine is made that may cost money, and returns how many workers the pool
// may then have.
func (b *bridge) agreeToMachine(ctx context.Context, o *launch.Order, c launch.Command, yes bool) (int, error) {
	have, able := len(o.Workers()), len(o.Able())
	if yes || !o.MayCost(c) {
		return c.Workers, nil
	}
	if !b.live {
		if able == 0 {
			return 0, newExitError(Refused, "to agree: -y", "the first worker is a machine at %s, which may cost", o.Mix)
		}
		return have, nil // the dispatch waits for an existing worker
	}
	answer, err := b.prompt(ctx, fmt.Sprintf("When no worker is idle, make one at %s, which may cost? [y/N] ", o.Mix))
	if err != nil {
		return 0, err
	}
	switch answer = strings.ToLower(answer); {
	case answer == "y" || answer == "yes":
		return c.Workers, nil
	case able == 0:
		return 0, newExitError(Refused, "", "nothing was made")
	}
	return have, nil
}

// sayDispatched prints which worker has a dispatch, or where it waits. On a terminal it prints again when the work
// begins.
func (b *bridge) sayDispatched(ctx context.Context, d fleet.Dir, sent api.Dispatched, follow bool) error {
	board, err := b.read(ctx, d)
	if err != nil {
		return err
	}
	pool := clean.Line(board.Voyage.Name)
	worker := clean.Line(sent.Worker)
	if worker == "" {
		fmt.Fprintln(b.out, clean.Line(words.Dispatched(d.ID(), sent)))
	}
	if worker == "" && follow {
		if worker, err = b.awaitWorker(ctx, d, sent.Task); err != nil {
			return err
		}
	}
	if worker != "" {
		fmt.Fprintf(b.out, "%s does dispatch %s\n", theme.ShipStyle(worker).Render(worker), sent.Task)
		fmt.Fprintf(b.out, "  attach  ocaptain shell %s %s\n  beside  ocaptain shell %s %s --raw, then: tmux attach -t %s-dev\n", pool, worker, pool, worker, strings.ReplaceAll(pool, ".", "_"))
	}
	fmt.Fprintf(b.out, "  history ocaptain pool history %s\n", pool)
	return nil
}

// awaitWorker waits until a worker has begun a dispatch, and returns its name; "" when the dispatch failed before.
func (b *bridge) awaitWorker(ctx context.Context, d fleet.Dir, task string) (worker string, err error) {
	begun := errors.New("begun")
	err = follow.Board(ctx, d, func(board fleet.Board) error {
		for i := range board.Tasks {
			if t := &board.Tasks[i]; t.ID == task && (t.Owner != "" || t.OnHold) {
				worker = clean.Line(t.Owner)
				return begun
			}
		}
		return nil
	})
	if errors.Is(err, begun) {
		err = nil
	}
	return worker, err
}
