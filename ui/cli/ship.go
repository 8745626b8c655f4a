package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
)

func shipCmd(b *bridge) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ship",
		Short: "Add, remove or replace ships of a voyage",
		Example: `ocaptain ship add -n 2
ocaptain ship rm ship-1
ocaptain ship replace ship-1`,
	}
	var version string
	replace := &cobra.Command{
		Use:   "replace SHIP...",
		Short: "Give ships new machines; their tasks become pending again",
		Long: `Give a ship a new machine; its task becomes pending again. Its unmerged work is put aside on a ref of the workspace, and the
new agent begins with a summary: the task that was held, that work as a patch, and the end of the log.`,
	}
	replace.Flags().StringVar(&version, "agent-version", "", laterVersionUsage)
	cmd.AddCommand(shipAddCmd(b),
		shipEndCmd(b, &cobra.Command{
			Use:   "rm SHIP...",
			Short: "Destroy ships; their tasks become pending again",
		}, "destroy %s", (*api.Client).RemoveShip),
		shipEndCmd(b, replace, "destroy the machine of %s and make a new one", func(c *api.Client, ctx context.Context, voyage, ship string, report func(api.Progress)) error {
			if err := b.chooseRelease(ctx, c, voyage, version); err != nil {
				return err
			}
			return c.ReplaceShip(ctx, voyage, ship, report)
		}))
	return cmd
}

func shipAddCmd(b *bridge) *cobra.Command {
	var voyage, model string
	var more launch.More
	n := 1
	cmd := &cobra.Command{
		Use:   "add",
		Short: "Add ships to a voyage",
		Long: `Add ships to a voyage, from where its ships come from or from another provider. They may have another agent than the others, or another
model; ocaptain edit --agent and --model choose tasks for them.`,
		Example: `ocaptain ship add -n 2
ocaptain ship add --agent codex
ocaptain ship add --model opus
ocaptain ship add --provider sprites=2,hosts=1`,
		Args: wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return b.addShips(cmd, n, more, model, func() (fleet.Dir, error) { return b.voyage(voyage) })
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().IntVarP(&n, "ships", "n", 1, "how many")
	cmd.Flags().StringVar(&more.Agent, "agent", "", "their agent, when not that of the others: "+strings.Join(agent.Names(), ", "))
	cmd.Flags().StringVar(&model, "model", "", "the model that their agent is asked to use, when not that of the others")
	cmd.Flags().StringVar(&more.Version, "agent-version", "", laterVersionUsage)
	cmd.Flags().StringVar(&more.Provider, "provider", "", "where they come from, when not from where the others do: "+strings.Join(launch.Providers(), ", "))
	return cmd
}

// addShips adds n ships to the voyage that find returns.
func (b *bridge) addShips(cmd *cobra.Command, n int, more launch.More, model string, find func() (fleet.Dir, error)) error {
	if n < 1 || n > config.MostShips {
		return usageError("--ships is %d; give a number from 1 to %d", n, config.MostShips)
	}
	d, err := find()
	if err != nil {
		return err
	}
	add := &launch.Addition{}
	if more.Provider != "" || more.Agent != "" {
		if add, err = b.checkMore(cmd, d, more); err != nil {
			return err
		}
	}
	if said := add.Mix.ShipCount(); said > 0 && more.Provider != "" {
		if cmd.Flags().Changed("ships") && said != n {
			return usageError("--ships is %d, and --provider %s makes %d; leave --ships out", n, add.Mix, said)
		}
		n = said
	}
	client, err := b.connectHelm(cmd.Context())
	if err != nil {
		return err
	}
	if add.Agent != "" {
		err = client.ChooseRelease(cmd.Context(), d.ID(), api.ReleaseRequest{Agent: add.Agent, Release: add.Release})
	} else {
		err = b.chooseRelease(cmd.Context(), client, d.ID(), more.Version)
	}
	if err != nil {
		return err
	}
	r := api.AddRequest{Ships: n, Provider: more.Provider, Agent: add.Agent, Model: model, Secrets: add.Secrets, Env: add.Env}
	return client.AddShips(cmd.Context(), d.ID(), r, b.reporter().report)
}

// laterVersionUsage explains the flag of commands that add ships to a voyage under way.
const laterVersionUsage = "version of the agent that ships get which are made from now on: tested, latest, installed or a number"

// chooseRelease sets the agent's version for new ships; "" leaves it unchanged.
func (b *bridge) chooseRelease(ctx context.Context, client *api.Client, voyage, version string) error {
	if version == "" {
		return nil
	}
	d, err := b.voyage(voyage)
	if err != nil {
		return err
	}
	v, err := fleet.LoadVoyage(d)
	if err != nil {
		return err
	}
	if err := b.launchYard().ChooseRelease(ctx, client, v, version); err != nil {
		return orderError(err)
	}
	return nil
}

// checkMore checks that a voyage can have more ships of that kind.
func (b *bridge) checkMore(cmd *cobra.Command, d fleet.Dir, more launch.More) (*launch.Addition, error) {
	v, err := fleet.LoadVoyage(d)
	if err != nil {
		return nil, err
	}
	add, err := b.launchYard().CheckMore(cmd.Context(), more, v)
	if err != nil {
		return nil, orderError(err)
	}
	return add, nil
}

// shipEndCmd makes a command that destroys the machine of a ship.
func shipEndCmd(b *bridge, cmd *cobra.Command, question string,
	act func(*api.Client, context.Context, string, string, func(api.Progress)) error,
) *cobra.Command {
	var voyage string
	var force, keep bool
	cmd.Args = wantArgs("SHIP...")
	cmd.ValidArgsFunction = b.completeShips(&voyage)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d, err := b.voyage(voyage)
		if err != nil {
			return err
		}
		names, err := b.shipNames(cmd.Context(), d, args)
		if err != nil {
			return err
		}
		var failed []error
		for _, name := range names {
			if err := b.endShip(cmd.Context(), d, name, question, force, keep, act); err != nil {
				failed = append(failed, err)
			}
			if cmd.Context().Err() != nil {
				break
			}
		}
		return errors.Join(failed...)
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask")
	keepIgnoredFlag(cmd, &keep)
	return cmd
}

// shipNames returns the names of the ships that the captain named, each once.
func (b *bridge) shipNames(ctx context.Context, d fleet.Dir, ships []string) ([]string, error) {
	board, err := b.read(ctx, d)
	if err != nil {
		return nil, err
	}
	board.printWarnings(b.err)
	var names []string
	for _, ship := range ships {
		name, err := shipName(board.Board, ship)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// endShip asks the captain and then destroys the machine of a ship.
func (b *bridge) endShip(ctx context.Context, d fleet.Dir, name, question string, force, keep bool,
	act func(*api.Client, context.Context, string, string, func(api.Progress)) error,
) error {
	board, err := b.readNow(ctx, d, force, name)
	if err != nil {
		return err
	}
	board.Ships = onlyShip(board.Ships, name)
	if !keep {
		b.warnIgnored(ignoredFiles(board.Board))
	}
	if err := b.confirm(ctx, fmt.Sprintf(question, name), losses(board.Board), name, force); err != nil {
		return err
	}
	if keep {
		if err := b.keepIgnored(ctx, force, []fleet.Dir{d}, name); err != nil {
			return err
		}
	}
	client, err := b.connectHelm(ctx)
	if err != nil {
		return err
	}
	return act(client, ctx, d.ID(), name, b.reporter().report)
}

// onlyShip returns the ship of that name alone.
func onlyShip(ships []fleet.ShipView, name string) []fleet.ShipView {
	for _, s := range ships {
		if s.Name == name {
			return []fleet.ShipView{s}
		}
	}
	return nil
}
