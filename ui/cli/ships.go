package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

func shipsCmd(b *bridge) *cobra.Command {
	var voyage string
	var force bool
	cmd := &cobra.Command{
		Use:   "ships N",
		Short: "Have so many ships that work, by adding or removing some",
		Long: `Change how many ships of a voyage work on tasks. More come from where the others do. Where there are too many, those are removed first that
are not ready or work on nothing, then the newest; what each has that is not merged is shown, and put aside. Ships that plan and
that review are not counted.`,
		Example: `ocaptain ships 6
ocaptain ships 2 --voyage add-auth`,
		Args: wantArgs("N"),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 || n > config.MostShips {
				return usageError("%q is no number of ships from 1 to %d; to have none: ocaptain sink", args[0], config.MostShips)
			}
			d, err := b.voyage(voyage)
			if err != nil {
				return err
			}
			board, err := b.readLive(cmd.Context(), d)
			if err != nil {
				return err
			}
			have := workers(board.Ships)
			switch more := n - len(have); {
			case more > 0:
				return b.addShips(cmd, more, launch.More{}, "", func() (fleet.Dir, error) { return d, nil })
			case more == 0:
				fmt.Fprintf(b.out, "there are %s already\n", words.Counted(n, "ship"))
				return nil
			}
			return b.removeShips(cmd.Context(), d, have[:len(have)-n], force)
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask")
	return cmd
}

// workers returns the ships that work on tasks, the most dispensable first.
func workers(ships []fleet.ShipView) (all []fleet.ShipView) {
	for _, s := range ships {
		if s.Phase != fleet.Going && (s.Role == "" || s.Role == fleet.Worker) {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b fleet.ShipView) int {
		return cmp.Or(cmp.Compare(use(a), use(b)), cmp.Compare(b.Number, a.Number))
	})
	return all
}

// use returns how much a ship is needed: 0 when it is not ready, 1 when it is idle, otherwise 2.
func use(s fleet.ShipView) int {
	switch {
	case s.Phase != fleet.Afloat:
		return 0
	case s.Task == "":
		return 1
	}
	return 2
}

// removeShips asks the captain about each of these ships, and removes it.
func (b *bridge) removeShips(ctx context.Context, d fleet.Dir, ships []fleet.ShipView, force bool) error {
	var failed []error
	for _, s := range ships {
		if err := b.endShip(ctx, d, s.Name, "destroy %s", force, false, (*api.Client).RemoveShip); err != nil {
			failed = append(failed, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}
