package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
)

// launchYard returns the yard in which voyages are prepared. Its programs never ask on the terminal, which may be the
// dashboard's.
func (b *bridge) launchYard() launch.Yard {
	return launch.Yard{Hub: b.hub, Environ: b.environ, Cwd: b.cwd, Helm: b.connectHelm, Say: func(text string) { fmt.Fprintln(b.err, clean.Line(text)) }}
}

const fetchUsage = "fetch the branch from its remote first, and begin at the newest there"

// checkOrder checks everything that a voyage depends on, and asks the captain for the consent that it needs.
func (b *bridge) checkOrder(cmd *cobra.Command, is launch.Wish) (*launch.Order, error) {
	w, err := b.wish(cmd, nil)
	if err != nil {
		return nil, err
	}
	w.Plan, w.Repo, w.Fetch, w.Review, w.Unconfined, w.Bring, w.NoBring = is.Plan, is.Repo, is.Fetch, is.Review, is.Unconfined, is.Bring, is.NoBring
	y := b.launchYard()
	y.Asks = b.live
	o, err := y.CheckWish(cmd.Context(), w)
	b.tellDefects(o)
	if err != nil {
		return nil, orderError(err)
	}
	return o, b.agree(cmd.Context(), o)
}

// agree asks the captain for the consent that an order needs.
func (b *bridge) agree(ctx context.Context, o *launch.Order) error {
	if err := b.agreeToWalls(ctx, o); err != nil {
		return err
	}
	return b.agreeToFiles(ctx, o)
}

// wish returns the wish of a command's flags, and of a captain.yaml if there is one.
func (b *bridge) wish(cmd *cobra.Command, file *config.Captain) (launch.Wish, error) {
	c, err := b.configWith(cmd, file)
	if err != nil {
		return launch.Wish{}, err // the error names the flags as they were typed, also empty ones
	}
	b.tellIgnored(c)
	w := launch.Wish{Captain: file}
	for flag, wish := range map[string]*string{"ships": &w.Ships, "provider": &w.Provider, "agent": &w.Agent, "model": &w.Model, "agent-version": &w.AgentVersion, "max-age": &w.MaxAge, "sync": &w.Sync, "max-cost": &w.MaxCost, "max-rate": &w.MaxRate} {
		if f := cmd.Flags().Lookup(flag); f != nil && f.Changed {
			*wish = f.Value.String()
		}
	}
	w.NoTelemetry, _ = cmd.Flags().GetBool("no-telemetry")
	if f := cmd.Flags().Lookup("fetch"); f != nil && f.Changed {
		w.NoFetch = f.Value.String() == "false"
	}
	if f := cmd.Flags().Lookup("max-cost-stop"); f != nil && f.Changed {
		w.MaxCostStop = f.Value.String()
	}
	if f := cmd.Flags().Lookup("sink-when-done"); f != nil && f.Changed {
		w.Sink = c.Sink
	}
	return w, nil
}

// tellDefects prints the defects of the plan, how a plan stands that cannot sail, and whose login is used when it may
// not be the captain's.
func (b *bridge) tellDefects(o *launch.Order) {
	if o.Defects.Errors() > 0 {
		printDefects(b.err, o.Plan, o.Defects)
		return
	}
	for _, d := range o.Defects {
		writeWarning(b.err, d.String(), 0)
	}
	for _, borrowed := range o.Borrowed {
		writeWarning(b.err, borrowed.What+"; "+borrowed.Fix, 0)
	}
}

// exits maps the problems of an order to exit codes.
var exits = map[problem.Kind]int{
	problem.Failed: Failed, problem.Usage: Usage, problem.NotFound: NotFound,
	problem.Refused: Refused, problem.Down: HelmDown, problem.Missing: Missing,
}

// orderError gives the problem of an order its exit code, and names the flags to change.
func orderError(err error) error {
	var p *problem.Problem
	if !errors.As(err, &p) {
		return err
	}
	switch {
	case p.Kind == problem.Usage && p.Field == problem.Repo:
		return newExitError(Usage, p.Hint, "--repo: %w", err)
	case p.Kind == problem.Usage && p.Field == problem.Ships:
		return usageError("without a plan there is one ship; name a plan or leave --ships out")
	case p.Kind == problem.Failed:
		return &exitError{exitCode(p.Err), err, p.Hint} // the wrapped error may have an exit code of its own
	}
	return &exitError{exits[p.Kind], err, p.Hint}
}

// agreeToWalls makes sure that the captain knows when agents cannot be sandboxed on a machine that holds other
// things.
func (b *bridge) agreeToWalls(ctx context.Context, o *launch.Order) error {
	if o.Unwalled == nil || o.Unconfined {
		return nil
	}
	advice := "to go without walls: --unconfined"
	if walling := o.Walling(); walling != "" {
		advice = "to confine them: " + walling + "\n" + advice
	}
	if !b.live {
		return newExitError(Refused, advice, "agents %s could do whatever you can: they cannot be confined (%w)", o.SharedPlaces(), o.Unwalled)
	}
	writeWarning(b.err, fmt.Sprintf("Agents %s could do whatever you can: they cannot be confined (%v).", o.SharedPlaces(), o.Unwalled), 0)
	answer, err := b.prompt(ctx, "Sail without walls? [y/N] ")
	if err != nil {
		return err
	}
	if answer = strings.ToLower(answer); answer != "y" && answer != "yes" {
		return newExitError(Refused, advice, "nothing was made")
	}
	o.Unconfined = true
	return nil
}

// bringFlags adds the flags that say whether ships get git-ignored files.
func bringFlags(cmd *cobra.Command, w *launch.Wish) {
	f := cmd.Flags()
	f.BoolVar(&w.Bring, "bring", false, "agree to all files that git ignores and that the repository or the plan brings to ships")
	f.BoolVar(&w.NoBring, "no-bring", false, "bring ships no file that git ignores")
	cmd.MarkFlagsMutuallyExclusive("bring", "no-bring")
}

// agreeToFiles lists the git-ignored files that go to ships, and asks the captain to agree to files that the captain has not named.
func (b *bridge) agreeToFiles(ctx context.Context, o *launch.Order) error {
	if len(o.Bring.Files)+len(o.Bring.Skipped) == 0 {
		return nil
	}
	fmt.Fprintf(b.err, "Ships get %s, from your checkout:\n", o.Bring.Summary())
	for _, line := range o.Bring.List() {
		if line.Secret {
			writeWarning(b.err, line.Text, 0)
			continue
		}
		fmt.Fprintf(b.err, "  %s\n", line.Text)
	}
	if !o.AsksForFiles() {
		return nil
	}
	const advice = "to agree: --bring\nto bring none: --no-bring\nto have them brought each time: write bring in config.yaml; see: ocaptain help bring"
	if !b.live {
		return newExitError(Refused, advice, "ships would get files that git ignores, and you have not named all of them yourself")
	}
	answer, err := b.prompt(ctx, "Bring them to ships? [y/N] ")
	if err != nil {
		return err
	}
	if answer = strings.ToLower(answer); answer != "y" && answer != "yes" {
		return newExitError(Refused, advice, "nothing was made")
	}
	o.BringAgreed = true
	return nil
}
