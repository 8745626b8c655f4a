package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/words"
)

func pauseCmd(b *bridge) *cobra.Command {
	var all, now bool
	var until string
	var ships []string
	cmd := &cobra.Command{
		Use:   "pause [VOYAGE|--all]",
		Short: "Have agents stop at the end of their turns",
		Long: `Pause a voyage, or with --ship ships of it: agents stop at the end of their turns and wait, and no task is claimed or given. What was completed is
merged all the same, and a message still reaches its agent. A pause lasts until ocaptain resume or the time of --until, also
while helm or this machine is restarted. Machines stay, and cost what they cost.`,
		Example: `ocaptain pause --ship ship-2
ocaptain pause --all --now --until 08:00`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkShips(cmd, ships); err != nil {
				return err
			}
			if cmd.Flags().Changed("until") && until == "" {
				return usageError("--until is empty; give a time like 08:00")
			}
			r := api.PauseRequest{Now: now, Ships: ships}
			if until != "" {
				at, err := nextTime(b.now(), until)
				if err != nil {
					return newExitError(Usage, "", "--until: %w", err)
				}
				r.Until = at
			}
			return b.forVoyages(cmd.Context(), args, all, func(ctx context.Context, c *api.Client, id string) (string, error) {
				return ofShips("paused", ships) + untilText(r.Until), c.Pause(ctx, id, r)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "all voyages that sail")
	f.BoolVar(&now, "now", false, "interrupt agents that work, as Escape does")
	f.StringVar(&until, "until", "", "go on by itself then, like 08:00 or \"2026-12-24 08:00\"")
	shipsFlag(b, cmd, &ships)
	return cmd
}

func resumeCmd(b *bridge) *cobra.Command {
	var all bool
	var ships []string
	cmd := &cobra.Command{
		Use:   "resume [VOYAGE|--all]",
		Short: "End a pause",
		Long: `End the pause of a voyage, or with --ship that of ships: their agents are given tasks again, and interrupted agents are told
to go on. The pause of a voyage and that of a ship end each by itself. A ship that is paused for max_rate goes on too: what its
agent has cost until then does not count as cost of that hour any more, so it may cost as much again before it is paused.`,
		Example:           "ocaptain resume --all",
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkShips(cmd, ships); err != nil {
				return err
			}
			return b.forVoyages(cmd.Context(), args, all, func(ctx context.Context, c *api.Client, id string) (string, error) {
				notes, err := c.Resume(ctx, id, api.ResumeRequest{Ships: ships})
				return words.Notes(notes), err
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all voyages that are paused")
	shipsFlag(b, cmd, &ships)
	return cmd
}

// shipsFlag adds --ship, which names ships of a voyage and excludes --all.
func shipsFlag(b *bridge, cmd *cobra.Command, ships *[]string) {
	cmd.Flags().StringSliceVar(ships, "ship", nil, "only this ship of the voyage, or several: ship-1,ship-2")
	cmd.MarkFlagsMutuallyExclusive("ship", "all")
}

// checkShips refuses an empty --ship, which would mean the whole voyage.
func checkShips(cmd *cobra.Command, ships []string) error {
	if cmd.Flags().Changed("ship") && (len(ships) == 0 || slices.Contains(ships, "")) {
		return usageError("--ship is empty; name a ship, or leave it out for the whole voyage")
	}
	return nil
}

// ofShips says what was done to ships, or to the whole voyage.
func ofShips(what string, ships []string) string {
	if len(ships) == 0 {
		return what
	}
	return strings.Join(ships, ", ") + " " + what
}

// costFlags adds the flags that limit what agents may spend.
func costFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.String("max-cost", "", maxCostUsage)
	f.Bool("max-cost-stop", false, "interrupt agents when --max-cost is reached; else they end their turns")
	f.String("max-rate", "", "what a ship's agent may cost within an hour, in US dollars; then it begins nothing until it is less")
}

// maxCostUsage explains --max-cost.
const maxCostUsage = "what agents may cost, in US dollars and by what they say; then they begin nothing more until: ocaptain budget"

func budgetCmd(b *bridge) *cobra.Command {
	var voyage string
	cmd := &cobra.Command{
		Use:   "budget USD",
		Short: "Set what a voyage may cost",
		Long: `Set what the agents of a voyage may cost in US dollars, by what they say themselves; 0 is any sum. At 80 % you are told. At
100 % no agent begins a task, and each stops at the end of its turn: nothing is lost, and all go on when you set more. Machines
are not part of it.`,
		Example: "ocaptain budget 40 --voyage 2026-11-28-kite",
		Args:    wantArgs("USD"),
		RunE: func(cmd *cobra.Command, args []string) error {
			most, err := config.ParseSum(args[0])
			if err != nil {
				return usageError("USD is %q; it %v", args[0], err)
			}
			d, client, err := b.voyageAtHelm(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			is, err := client.SetBudget(cmd.Context(), d.ID(), api.BudgetRequest{Max: most})
			if err != nil {
				return err
			}
			if is.Max == 0 {
				fmt.Fprintf(b.out, "%s may cost any sum; its agents have cost $%.2f\n", title(d), is.Spent)
				return nil
			}
			fmt.Fprintf(b.out, "%s has spent %s\n", title(d), is)
			return nil
		},
	}
	voyageFlag(b, cmd, &voyage)
	return cmd
}

// forVoyages calls do for a voyage, or with all for each voyage under way, and prints what do returns.
func (b *bridge) forVoyages(ctx context.Context, args []string, all bool, do func(context.Context, *api.Client, string) (string, error)) error {
	if all && len(args) > 0 {
		return newExitError(Usage, "", "give a voyage or --all")
	}
	var dirs []fleet.Dir
	if all {
		there, err := fleet.Voyages(b.hub.Voyages).List()
		if err != nil {
			return err
		}
		for _, d := range there {
			if f, err := fleet.LoadFleet(d); err == nil && f.Phase != fleet.Sunk && f.Phase != fleet.Sinking {
				dirs = append(dirs, d)
			}
		}
	} else {
		d, err := b.voyage(strings.Join(args, ""))
		if err != nil {
			return err
		}
		dirs = []fleet.Dir{d}
	}
	client, err := b.connectHelm(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, d := range dirs {
		said, err := do(ctx, client, d.ID())
		switch {
		case all && errors.Is(err, api.ErrRefused): // the voyage is in that state already, or is over
		case err != nil:
			failed = append(failed, err)
		default:
			fmt.Fprintf(b.out, "%s: %s\n", title(d), said)
		}
	}
	return errors.Join(failed...)
}

// nextTime reads a time of day, today or else tomorrow, or a date with a time.
func nextTime(now time.Time, text string) (time.Time, error) {
	if at, err := time.ParseInLocation("2006-01-02 15:04", text, now.Location()); err == nil {
		if !at.After(now) {
			return time.Time{}, fmt.Errorf("%s is over", text)
		}
		return at, nil
	}
	clock, err := time.Parse("15:04", text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no time like 08:00, and no date with a time like 2026-12-24 08:00", text)
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}

func untilText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " until " + at.Format("2006-01-02 15:04")
}
