package cli

import (
	"reflect"

	"github.com/spf13/cobra"

	"ocaptain/tasks"
	"ocaptain/tasks/beads"
	"ocaptain/ui/graphtext"
	"ocaptain/ui/words"
)

func planGraphCmd() *cobra.Command {
	var asJSON, dot, mermaid bool
	cmd := &cobra.Command{
		Use:               "graph PLAN",
		Short:             "Show the levels of a plan, its critical path and how many ships it wants",
		Args:              wantArgs("PLAN"),
		ValidArgsFunction: completePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, defects := beads.OpenPlan(args[0])
			w := cmd.OutOrStdout()
			var err error
			switch {
			case asJSON:
				err = printJSON(w, graphAsJSON(plan))
			case dot:
				printDot(w, plan)
			case mermaid:
				printMermaid(w, plan)
			default:
				graphtext.Write(w, plan)
			}
			if n := defects.Errors(); err == nil && n > 0 {
				err = newExitError(Usage, "see: ocaptain plan check "+args[0], "plan %s has %s; the graph shows what could be read", args[0], words.Counted(n, "error"))
			}
			return err
		},
	}
	jsonFlag(cmd, &asJSON, reflect.TypeFor[planGraph]())
	cmd.Flags().BoolVar(&dot, "dot", false, "print Graphviz DOT")
	cmd.Flags().BoolVar(&mermaid, "mermaid", false, "print a Mermaid flowchart")
	cmd.MarkFlagsMutuallyExclusive("json", "dot", "mermaid")
	return cmd
}

// graphEdges yields every blocker with each task that waits for it, in a stable order.
func graphEdges(g *tasks.Graph, yield func(from, to string)) {
	for _, t := range g.Tasks() {
		for _, from := range g.Blockers(t.ID) {
			yield(from, t.ID)
		}
	}
}
