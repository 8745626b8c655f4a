package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ocaptain/fleet/telemetry/usage"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/cost"
	"ocaptain/fleet/telemetry"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

func costCmd(b *bridge) *cobra.Command {
	var asJSON bool
	var by string
	var ways []string
	for _, w := range cost.Ways {
		ways = append(ways, string(w))
	}
	cmd := &cobra.Command{
		Use:   "cost [VOYAGE]",
		Short: "Show what a voyage costs, and what the rest of it may cost",
		Long: `Show what the agents of a voyage say that they used, by ship, role, model, task or hour, what its machines cost by
your own prices, what a completed task cost, and what those that remain may cost. How that is known: ocaptain help costs`,
		Example: `ocaptain cost
ocaptain cost --by task
ocaptain cost voyage-3f9a --by hour --json`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(ways, by) {
				return usageError("--by is %q; give one of: %s", by, strings.Join(ways, ", "))
			}
			d, board, err := b.find(cmd.Context(), strings.Join(args, ""))
			if err != nil {
				return err
			}
			sums, err := telemetry.Load(d.Telemetry())
			if err != nil {
				return err
			}
			r := cost.New(cost.Facts{Rows: sums.Rows(), Tasks: board.Tasks, Bill: board.Bill, Budget: board.Budget, Told: board.Usage}, cost.By(by))
			if asJSON {
				return errors.Join(printJSON(b.raw, voyageCost{d.ID(), r, sums.Count()}), board.staleError())
			}
			b.sayCost(d, &board.Voyage, r)
			return board.staleError()
		},
	}
	cmd.Flags().StringVar(&by, "by", string(cost.Ship), "what a row is of: "+strings.Join(ways, ", "))
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(ways, cobra.ShellCompDirectiveNoFileComp))
	jsonFlag(cmd, &asJSON, reflect.TypeFor[voyageCost]())
	return cmd
}

// voyageCost is the JSON of a report.
type voyageCost struct {
	Voyage string `json:"voyage"`
	cost.Report
	Count usage.Count `json:"count"`
}

// sayCost prints a report.
func (b *bridge) sayCost(d fleet.Dir, v *fleet.Voyage, r cost.Report) {
	if len(r.Rows) == 0 {
		why := "No agent of voyage %s has told what it used; what is known from transcripts: ocaptain status\n"
		if v.Telemetry.Off {
			why = "Voyage %s sails without telemetry; what is known from transcripts: ocaptain status\n"
		}
		fmt.Fprintf(b.out, why, title(d))
	} else {
		costTable(r).write(b.out, b.width)
	}
	for _, line := range words.CostLines(r) {
		fmt.Fprintf(b.out, "%-9s %s\n", line[0], line[1])
	}
}

// costTable returns a table with a line for each row and a line with the total.
func costTable(r cost.Report) *table {
	t := table{heads: []string{strings.ToUpper(string(r.By)), "COST", "IN", "OUT", "READ", "WRITTEN", "CACHED", "ACTIVE", "ERRORS"}}
	rows := append(slices.Clone(r.Rows), cost.Row{Name: "all", Totals: r.Total, CacheHits: r.CacheHits})
	for i, row := range rows {
		name, style := row.Name, theme.Plain
		if i == len(rows)-1 {
			style = theme.Title
		} else if name == "" {
			name = "none"
		}
		is := row.Totals
		cells := []cell{{ansi.Truncate(clean.Line(name), 48, "…"), style}}
		for _, text := range []string{
			orWord(words.AgentCost(is), "-"), words.Amount(is.Tokens.Input), words.Amount(is.Tokens.Output), words.Amount(is.Tokens.CacheRead),
			words.Amount(is.Tokens.CacheCreation), words.Share(row.CacheHits), words.Active(is.Active), words.Amount(is.ToolErrors),
		} {
			cells = append(cells, cell{text, style})
		}
		t.add(cells...)
	}
	return &t
}
