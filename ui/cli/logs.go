package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/ui/logs"
)

func logsCmd(b *bridge) *cobra.Command {
	var q logs.Query
	var ships []string
	var pattern, role string
	var follow, asJSON bool
	var last int
	cmd := &cobra.Command{
		Use:   "logs [VOYAGE] [SHIP]",
		Short: "Read the logs of all ships, merged by time",
		Long: `Read the logs of all ships, merged by time. Every line names its ship.

With --provision, only how the ships were provisioned: each step on each machine, what was tried again and why, and what
programs printed there. It can be read as long as the voyage's directory is there, also of ships that failed.

The pattern is a regular expression that is searched for in the line as it is shown.`,
		Example: `ocaptain logs --tail 50
ocaptain logs --follow --grep 'error|conflict'
ocaptain logs voyage-3f9a --ship 0 --ship 2
ocaptain logs --provision voyage-3f9a ship-1`,
		Args:              wantArgs("[VOYAGE]", "[SHIP]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			grep, err := regexp.Compile(pattern)
			if err != nil {
				return usageError("the pattern %q is not a regular expression: %v", pattern, err)
			}
			if q.Role = role; role != "" && !slices.Contains(logs.Roles, role) {
				return usageError("there is no role %q; there are: %s", role, strings.Join(logs.Roles, ", "))
			}
			if cmd.Flags().Changed("tail") && last < 0 {
				return usageError("--tail is %d; give a number from 0", last)
			}
			voyage := ""
			if len(args) > 0 {
				voyage = args[0]
			}
			ships = append(ships, args[min(1, len(args)):]...)
			q.Mute = asJSON
			d, board, err := b.find(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			if q.Ships, err = logShips(d, board.Board, ships); err != nil {
				return err
			}
			if !cmd.Flags().Changed("tail") {
				last = -1
			}
			return b.readLogs(cmd.Context(), d, q, grep, last, follow, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringSliceVarP(&ships, "ship", "s", nil, "only this ship; may be given more than once")
	f.BoolVarP(&follow, "follow", "f", false, "go on with new lines as they come")
	f.StringVarP(&pattern, "grep", "g", "", "only lines that match this regular expression")
	f.IntVarP(&last, "tail", "n", 0, "only the last lines")
	f.BoolVar(&q.Fits, "provision", false, "only how the ships were provisioned")
	f.StringVar(&role, "role", "", "only ships with this role: "+strings.Join(logs.Roles, ", "))
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions(logs.Roles, cobra.ShellCompDirectiveNoFileComp))
	jsonFlag(cmd, &asJSON, reflect.TypeFor[fleet.LogLine]())
	return cmd
}

// logShips turns the captain's arguments into names of ships. A removed ship counts while its log is there.
func logShips(d fleet.Dir, board fleet.Board, named []string) ([]string, error) {
	logged := logs.ListShips(d)
	var ships []string
	for _, n := range named {
		name, err := shipName(board, n)
		switch {
		case err == nil:
		case slices.Contains(logged, n):
			name = n
		case slices.Contains(logged, "ship-"+n):
			name = "ship-" + n
		default:
			return nil, err
		}
		ships = append(ships, name)
	}
	return ships, nil
}

// readLogs prints the lines that the query selects and the pattern matches: all or the last ones, and with follow new
// ones.
func (b *bridge) readLogs(ctx context.Context, d fleet.Dir, q logs.Query, grep *regexp.Regexp, last int, follow, asJSON bool) error {
	if grep != nil {
		q.Keep = func(l logs.Line) bool { return grep.MatchString(l.PlainText()) }
	}
	out := bufio.NewWriter(b.raw)
	if b.colour {
		out = bufio.NewWriter(b.out)
	}
	show := func(l logs.Line) error {
		text := l.String()
		if b.colour {
			text = paintLog(l, grep)
		}
		_, err := io.WriteString(out, text+"\n")
		return err
	}
	if asJSON {
		out = bufio.NewWriter(b.raw)
		show = func(l logs.Line) error { return printJSONLine(out, l.LogLine) }
	}
	ends, err := logs.ShowExisting(ctx, d, q, last, show)
	if err == nil {
		err = out.Flush()
	}
	if err != nil || !follow {
		return err
	}
	err = logs.Follow(ctx, d, q, ends, func(batch []logs.Line) error {
		for _, l := range batch {
			if err := show(l); err != nil {
				return err
			}
		}
		return out.Flush()
	})
	if errors.Is(err, context.Canceled) { // ctrl-c is how the captain stops following
		err = nil
	}
	return err
}
