package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks/planfile"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

func planFromCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "from VOYAGE DIR",
		Short: "Write what a voyage did as a plan, to be done again or changed",
		Long: `Write the tasks of a voyage to a new directory as a plan: all of them still to be done, as they were last. Of a session these are the
tasks that workers did. spec.md and verify.sh are those of the voyage.`,
		Example:           `ocaptain plan from add-auth plans/add-auth-2`,
		Args:              wantArgs("VOYAGE", "DIR"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(_ *cobra.Command, args []string) error {
			dir := args[1]
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(b.cwd, dir)
			}
			p, _, err := b.planOf(args[0])
			if err == nil {
				err = planfile.Write(dir, p)
			}
			if err != nil {
				return newExitError(Refused, "", "%w", err)
			}
			fmt.Fprintf(b.out, "%s holds a plan of %s; look at it with: ocaptain plan check %[1]s\n", clean.Line(args[1]), words.Counted(len(p.Tasks), "task"))
			return nil
		},
	}
}

// planOf returns the tasks of a voyage as a plan, and the voyage.
func (b *bridge) planOf(name string) (*planfile.Plan, fleet.Voyage, error) {
	d, err := fleet.Voyages(b.hub.Voyages).Find(name)
	if err != nil {
		return nil, fleet.Voyage{}, err
	}
	board, err := fleet.ReadBoard(d)
	if err != nil {
		return nil, fleet.Voyage{}, err
	}
	p, err := launch.PlanOf(d, &board)
	return p, board.Voyage, err
}

// again changes a wish so that it repeats a voyage: the same tasks and options, except for what the flags say. remove deletes the temporary
// plan that the wish names.
func (b *bridge) again(cmd *cobra.Command, voyage string, is *launch.Wish) (remove func(), err error) {
	p, was, err := b.planOf(voyage)
	if err != nil {
		return nil, newExitError(Refused, "", "%w", err)
	}
	dir, err := os.MkdirTemp("", "ocaptain-again-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	is.Plan = filepath.Join(dir, "plan")
	if err := planfile.Write(is.Plan, p); err != nil {
		remove()
		return nil, err
	}
	for flag, value := range map[string]string{"ships": strconv.Itoa(p.Ships), "provider": was.Provider, "agent": was.Agent, "model": was.Model} {
		if value != "" && !cmd.Flags().Changed(flag) && (flag != "model" || !cmd.Flags().Changed("agent")) {
			if err := cmd.Flags().Set(flag, value); err != nil {
				remove()
				return nil, err
			}
		}
	}
	is.Review = is.Review || was.Validators > 0
	return remove, nil
}
