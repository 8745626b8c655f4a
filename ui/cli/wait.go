package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/retry"
)

// Exit codes of "ocaptain wait", for scripts.
const (
	waitDone  = OK
	waitNeeds = 3
	waitLate  = 4
)

func waitCmd(b *bridge) *cobra.Command {
	var until string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait [VOYAGE]",
		Short: "Wait until a voyage is done, or needs you",
		Long: `Wait until a voyage is done: every task is merged and verified. Meanwhile it tells on standard error what waits for you.
With --until needs it ends as soon as something does, and says what. A voyage that failed to verify, or was sunk before it was done,
needs you in any case.

The exit code tells which it was:

    0  it is done
    3  it needs you
    4  the time is up (--timeout)

A voyage that there is not ends it with 2; other codes are those of every command: ocaptain help exit-codes`,
		Example: `ocaptain wait && ocaptain clone
ocaptain wait --until needs --timeout 8h`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			if until != "done" && until != "needs" {
				return usageError("--until %s is nothing to wait for: say done or needs", until)
			}
			if timeout < 0 {
				return usageError("--timeout %s is over before it begins: say a time like 30m", timeout)
			}
			d, err := b.voyage(strings.Join(args, ""))
			if err != nil {
				return newExitError(Usage, "", "%w", err) // the usual code of this error would say that the voyage needs the captain
			}
			if v, err := fleet.LoadVoyage(d); err == nil && v.PoolName() != "" && until == "done" {
				return newExitError(Usage, "to wait for one dispatch: ocaptain dispatch --wait; for what needs you: --until needs", "pool %s is never done", clean.Line(v.Name))
			}
			ctx, cancel := cmd.Context(), context.CancelFunc(func() {})
			if timeout > 0 {
				ctx, cancel = context.WithTimeoutCause(ctx, timeout, errLate)
			}
			defer cancel()
			code, err := b.wait(ctx, d, until == "needs")
			if err != nil && errors.Is(context.Cause(ctx), errLate) {
				fmt.Fprintln(b.err, "the time is up after", timeout)
				return silent(waitLate)
			}
			if err != nil || code == waitDone {
				return err
			}
			return silent(code)
		},
	}
	cmd.Flags().StringVar(&until, "until", "done", "what to wait for: done or needs")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "how long to wait at most, 0 for no limit")
	_ = cmd.RegisterFlagCompletionFunc("until", cobra.FixedCompletions([]string{"done", "needs"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

var errLate = errors.New("the time is up")

// wait waits until a voyage is over, or with orNeeds needs the captain, and returns the exit code for that. Without orNeeds
// it prints each need when it comes up.
func (b *bridge) wait(ctx context.Context, d fleet.Dir, orNeeds bool) (int, error) {
	for told := (toldNeeds{}); ; {
		v, err := b.read(ctx, d)
		switch {
		case err != nil:
			return 0, err
		case v.Phase == fleet.Complete, v.Phase == fleet.Sunk && v.Verify.Passed:
			fmt.Fprintln(b.out, title(d)+" is done: every task is merged and verified")
			fmt.Fprintln(b.out, "bring it home with: "+takeHome(&v.Voyage))
			return waitDone, nil
		case v.Phase == fleet.Sunk, v.Phase == fleet.VerifyFailed, orNeeds && len(v.Needs) > 0:
			if v.Phase == fleet.Sunk {
				fmt.Fprintln(b.out, title(d)+" was sunk before it was done")
			}
			writeNeeds(b.out, v.Needs, b.now(), b.width)
			return waitNeeds, nil
		}
		writeNeeds(b.err, told.news(v.Needs, b.now()), b.now(), b.width)
		if err := retry.Sleep(ctx, glance); err != nil {
			return 0, err
		}
	}
}
