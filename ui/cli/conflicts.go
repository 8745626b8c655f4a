package cli

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
	"ocaptain/ui/changes"
	"ocaptain/ui/words"
)

func conflictsCmd(b *bridge) *cobra.Command {
	var in api.SettleRequest
	var asJSON, goOn bool
	cmd := &cobra.Command{
		Use:   "conflicts [VOYAGE]",
		Short: "Show which files clash in the tree that all share, and settle them",
		Long: `In a voyage with one tree (sail --sync live), a file that a ship and somebody else have changed at the same time stays as it is
on either side. List such files, with what differs, and those that do not travel.

--keep hub has the copy in workspace/ count, --keep SHIP that of the ship, and --keep both leaves workspace/'s in its place and
the ship's beside it, as FILE~SHIP. A copy that does not count is kept in artifacts/conflicts of the voyage's directory.`,
		Example: `ocaptain conflicts
ocaptain conflicts --keep both
ocaptain conflicts --keep ship-1 --file api/server.go`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, client, err := b.voyageAtHelm(cmd.Context(), strings.Join(args, ""))
			if err != nil {
				return err
			}
			if goOn {
				return client.GoOnWithTree(cmd.Context(), d.ID())
			}
			if in.Keep != "" {
				return b.settle(cmd.Context(), client, d, in)
			}
			if in.Ship != "" || len(in.Paths) > 0 {
				return usageError("--ship and --file say what to settle: say how with --keep hub, --keep both or --keep SHIP")
			}
			board, err := client.Board(cmd.Context(), d.ID())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(b.raw, treesOf(&board))
			}
			return b.listConflicts(cmd.Context(), d, &board)
		},
	}
	f := cmd.Flags()
	f.StringVar(&in.Keep, "keep", "", "whose copy counts: hub, both, or a ship")
	f.StringVar(&in.Ship, "ship", "", "settle the files of this ship alone")
	f.StringArrayVar(&in.Paths, "file", nil, "settle this file alone; may be given again")
	f.BoolVar(&goOn, "go-on", false, "have the trees be kept the same again that were paused as much of them went away: it was meant")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[[]shipTree]())
	return cmd
}

// shipTree is the state of a ship's tree, in JSON.
type shipTree struct {
	Ship string           `json:"ship"`
	Tree fleet.SharedTree `json:"tree"`
}

func treesOf(board *fleet.Board) []shipTree {
	all := []shipTree{}
	for i := range board.Ships {
		if s := &board.Ships[i]; s.Tree.State != "" {
			all = append(all, shipTree{s.Name, s.Tree})
		}
	}
	return all
}

func (b *bridge) settle(ctx context.Context, client *api.Client, d fleet.Dir, in api.SettleRequest) error {
	done, err := client.Settle(ctx, d.ID(), in)
	for _, file := range done.Files {
		fmt.Fprintf(b.out, "settled %s\n", clean.Line(file))
	}
	if err != nil {
		return err
	}
	if len(done.Files) == 0 {
		fmt.Fprintln(b.out, "no file clashes")
	}
	if done.Kept != "" {
		fmt.Fprintf(b.out, "what does not count is in %s\n", clean.Line(done.Kept))
	}
	return nil
}

// listConflicts shows the state of the trees of a voyage, and the differences of each clashing file.
func (b *bridge) listConflicts(ctx context.Context, d fleet.Dir, board *fleet.Board) error {
	if board.Voyage.Sync != fleet.SyncLive {
		fmt.Fprintln(b.out, "each ship of this voyage has a tree of its own (ocaptain help live)")
		return nil
	}
	for _, s := range treesOf(board) {
		line := theme.Title.Render(clean.Line(s.Ship)) + " " + clean.Line(string(s.Tree.State))
		if s.Tree.Why != "" {
			line += ": " + clean.Line(s.Tree.Why)
		}
		fmt.Fprintln(b.out, line)
		for _, p := range s.Tree.Problems {
			fmt.Fprintf(b.out, "  %s does not travel: %s\n", clean.Line(p.Path), clean.Line(p.Why))
		}
		for _, file := range s.Tree.Conflicts {
			fmt.Fprintf(b.out, "  %s clashes\n", clean.Line(file))
			if err := b.showClash(ctx, d, changes.Clash{Ship: s.Ship, File: file}); err != nil {
				return err
			}
		}
		if n := s.Tree.MoreConflicts + s.Tree.MoreProblems; n > 0 {
			fmt.Fprintf(b.out, "  and %s\n", words.Counted(n, "more file"))
		}
	}
	return nil
}

// maxClash is how many lines are shown of a clashing file.
const maxClash = 60

// showClash shows the differences between the newest copies of both trees: lines of workspace/ with -, lines of the ship
// with +.
func (b *bridge) showClash(ctx context.Context, d fleet.Dir, clash changes.Clash) error {
	show := func(text string) { fmt.Fprintln(b.out, "    "+clean.Line(text)) }
	c, err := clash.Change(ctx, d)
	lines := 0
	if err == nil {
		err = c.ScanLines(ctx, d, false, func(l changes.Line) error {
			if lines++; lines <= maxClash {
				show(l.Text)
			}
			return nil
		})
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		show("what differs is not known: " + err.Error())
	case lines == 0:
		show(changes.NoClash)
	case lines > maxClash:
		show(fmt.Sprintf("… %d more lines", lines-maxClash))
	}
	return nil
}
