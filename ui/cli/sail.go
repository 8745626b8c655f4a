package cli

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"ocaptain/ui/words"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/launch"
)

func sailCmd(b *bridge) *cobra.Command {
	var is launch.Wish
	var detach, asJSON bool
	var again string
	cmd := &cobra.Command{
		Use:   "sail [PLAN]",
		Short: "Launch a voyage from a plan, or one interactive ship without",
		Long: `Launch a voyage from a plan directory, from a plan that comes with ocaptain: example:tiny, example:harbor, or from the open
issues of a Beads project: beads:DIR.
Plan, tokens and repository are checked first, and nothing is made when one of them is wrong. The first ship then proves
that its agent can log in, before there are others. ctrl-c takes everything back.
On a terminal the voyage is then shown live; leaving that, or closing the terminal, stops nothing.

Without a plan, one ship with an interactive agent is launched, in a fresh repository or in that of --repo.`,
		Example: `ocaptain sail ./plans/add-auth --ships 5
ocaptain sail example:harbor --agent script
ocaptain sail ./plans/add-auth --provider sprites=3,hosts=2
ocaptain sail beads:. --ships 3
ocaptain sail --again add-auth --agent codex
ocaptain sail --repo owner/repo`,
		Args: wantArgs("[PLAN]"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, part string) ([]string, cobra.ShellCompDirective) {
			return completePlan(cmd, args, part)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			is.Plan = strings.Join(args, "")
			if again != "" {
				if is.Plan != "" {
					return usageError("name a plan, or with --again a voyage, not both")
				}
				remove, err := b.again(cmd, again, &is)
				if err != nil {
					return err
				}
				defer remove()
			}
			o, err := b.checkOrder(cmd, is)
			if err != nil {
				return err
			}
			return b.setSail(cmd, o, detach, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringP("ships", "n", "", "how many ships (default: OCAPTAIN_DEFAULT_SHIPS, else the plan's number, else 3)")
	f.String("provider", "", "where ships come from: "+strings.Join(launch.Providers(), ", ")+"; or from several, like sprites=3,hosts=2")
	f.String("agent", "", "the program that codes (default claude)")
	f.String("model", "", "model that the agent is asked to use")
	costFlags(cmd)
	f.String("agent-version", "", agentVersionUsage)
	f.Bool("no-telemetry", false, noTelemetryUsage)
	f.StringVarP(&is.Repo, "repo", "r", "", "repository instead of the plan's: owner/repo, a URL, a path, or none")
	f.BoolVar(&is.Fetch, "fetch", false, fetchUsage)
	f.String("max-age", "", "sink ships older than this, like 8h, once their work is merged; until then they get no more tasks")
	f.Bool("sink-when-done", false, "sink all ships when verify.sh has passed and their work is merged")
	f.String("sync", "", "how work travels: git, or live, one tree that you and all ships share (see: ocaptain help live)")
	f.BoolVar(&is.Review, "review", false, "have one ship more review what the others do, before it is merged")
	f.BoolVar(&is.Unconfined, "unconfined", false, "agree to agents on this machine or on hosts that no sandbox holds")
	bringFlags(cmd, &is)
	f.StringVar(&again, "again", "", "sail what that voyage did once more, with as many ships and the same agent")
	_ = cmd.RegisterFlagCompletionFunc("again", b.completeVoyages) // fails only for a flag that does not exist
	f.BoolVar(&detach, "detach", false, "return as soon as the voyage sails, also on a terminal")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[fleet.Board]())
	return cmd
}

// setSail starts the voyage of an order, and shows it.
func (b *bridge) setSail(cmd *cobra.Command, o *launch.Order, detach, asJSON bool) error {
	d, err := b.startVoyage(b.lasting, o)
	if err != nil {
		return err
	}
	select {
	case <-cmd.Context().Done():
		return nil // there is no screen
	default:
		return b.underSail(cmd, d, o, detach, asJSON)
	}
}

// startVoyage makes the voyage's directory and has helm start the voyage. When that fails or ctx ends, it takes
// everything back.
func (b *bridge) startVoyage(ctx context.Context, o *launch.Order) (fleet.Dir, error) {
	d, err := b.launchYard().StartVoyage(ctx, o, b.reporter().report)
	return d, orderError(err)
}

// underSail reports what the voyage has now, and shows the voyage.
func (b *bridge) underSail(cmd *cobra.Command, d fleet.Dir, o *launch.Order, detach, asJSON bool) error {
	ctx := cmd.Context()
	board, err := api.NewClient(b.hub).Board(ctx, d.ID()) // the file may be a second older
	if err != nil {
		board, err = fleet.ReadBoard(d)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(b.raw, board)
	}
	fmt.Fprintf(b.out, "%s sails with %s", title(d), words.Counted(len(board.Ships), "ship"))
	if o.Plan != nil {
		fmt.Fprintf(b.out, " and %s", words.Counted(len(o.Plan.Tasks), "task"))
	}
	fmt.Fprintln(b.out)
	hints := [][2]string{{"watch", "ocaptain"}, {"attach", "ocaptain shell " + d.ID() + " " + board.Ships[0].Name}, {"read", "ocaptain logs " + d.ID() + " --follow"}}
	for _, h := range hints {
		fmt.Fprintf(b.out, "  %-7s %s\n", h[0], h[1])
	}
	switch {
	case detach || !b.screen:
		return nil
	case o.Plan == nil:
		return b.openShell(cmd, d, "ship-0", false)
	}
	c, err := b.config(cmd)
	if err != nil {
		return err
	}
	return b.dashboard(ctx, c, d, 0, nil)
}
