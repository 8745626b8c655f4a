package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/mailbox"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

func sendCmd(b *bridge) *cobra.Command {
	var to targets
	var file string
	var command, yes bool
	wait := 15 * time.Second
	cmd := &cobra.Command{
		Use:   "send [VOYAGE] SHIP|--all|--role ROLE TEXT|-f FILE",
		Short: "Send a message to agents",
		Long: `Send a message to the agent of a ship, or of several. It arrives as it is written, once, in the order of sending:
quotes, $, newlines and a leading /, ! or # are text unless --command is given. It may have up to 64 KB; control
characters other than newline and tab are left out.

A message is accepted when this command ends without an error: it is kept on disk until the agent has it, also when
the ship cannot be reached or the agent is busy with something else, is limited or is being started again.
"submitted" says that the agent itself has told that it got it, "queued" says why it waits.

A message to coordinator-0 of a session becomes an epic once you say yes, or at once with --yes.`,
		Example: `ocaptain send ship-1 "Use the existing logger, please."
ocaptain send --all -f news.md
git diff | ocaptain send --role validator -f -
ocaptain send ship-0 --command /compact`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: b.completeShips(&to.voyage),
		RunE: func(cmd *cobra.Command, args []string) error {
			more := 1 // TEXT
			if file != "" {
				more = 0
			}
			names, d, rest, err := b.targets(cmd.Context(), to, args, more)
			if err != nil {
				return err
			}
			text := strings.Join(rest, "")
			if file != "" {
				if text, err = b.readMessage(file); err != nil {
					return err
				}
			}
			if names[0] == fleet.Coordinator {
				return b.sendEpic(cmd.Context(), d, text, yes)
			}
			return b.forEachShip(cmd.Context(), names, func(ctx context.Context, c *api.Client, ship string) (string, error) {
				said, err := api.Send(ctx, c, b.connectHelm, d.ID(), ship, api.SayRequest{Text: text, Command: command, Wait: wait})
				end, _ := words.MessageOutcome(said)
				return end, err
			})
		},
	}
	to.addFlags(b, cmd)
	cmd.Flags().StringVarP(&file, "file", "f", "", "read the message from a file, - for standard input")
	cmd.Flags().BoolVar(&command, "command", false, "a leading /, ! or # is a command of the agent's own")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask whether a message to "+fleet.Coordinator+" is to become an epic")
	cmd.Flags().DurationVar(&wait, "wait", wait, "how long to wait for the agent to get it, at most a minute")
	return cmd
}

// sendEpic gives a session a message to its coordinator as an epic.
func (b *bridge) sendEpic(ctx context.Context, d fleet.Dir, text string, yes bool) error {
	text = strings.TrimSpace(text)
	if _, err := tasks.NewEpic(text, nil, 2); err != nil {
		return usageError("%v", err)
	}
	if !yes {
		if !b.live {
			return newExitError(Refused, "use --yes where there is no terminal", "you did not confirm to make this message an epic")
		}
		if err := b.confirm(ctx, "make this an epic, which a planner breaks down", nil, "", false); err != nil {
			return err
		}
	}
	client, err := b.connectHelm(ctx)
	if err != nil {
		return err
	}
	return b.askFor(ctx, client, d, api.EpicRequest{Text: text, Priority: 2})
}

// readMessage reads a message from a file or from standard input.
func (b *bridge) readMessage(name string) (string, error) {
	in := b.in
	if name == "-" && b.live {
		fmt.Fprintln(b.err, "Type the message; ctrl-d on a line of its own sends it.")
	}
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, mailbox.MaxText+1))
	if err != nil {
		return "", fmt.Errorf("read the message: %w", err)
	}
	if len(raw) > mailbox.MaxText {
		return "", usageError("the message has more than %d bytes; put it in a file of the repository and name that", mailbox.MaxText)
	}
	return string(raw), nil
}

// targets says which ships a command is for, as its flags say.
type targets struct {
	voyage, role string
	all          bool
}

func (t *targets) addFlags(b *bridge, cmd *cobra.Command) {
	voyageFlag(b, cmd, &t.voyage)
	cmd.Flags().BoolVarP(&t.all, "all", "a", false, "all ships of the voyage")
	cmd.Flags().StringVar(&t.role, "role", "", "all ships of this role")
}

// targets finds the voyage and the ships that arguments and flags name. After them more words may come, which it
// returns as rest; one word beyond these is the voyage.
func (b *bridge) targets(ctx context.Context, t targets, args []string, more int) (names []string, d fleet.Dir, rest []string, err error) {
	want := more
	if !t.all && t.role == "" {
		want++
	}
	if t.voyage == "" && len(args) == want+1 && b.isVoyage(args[0]) {
		t.voyage, args = args[0], args[1:]
	}
	switch {
	case t.all && t.role != "":
		return nil, "", nil, usageError("--all and --role exclude each other")
	case len(args) > want && more > 0:
		return nil, "", nil, usageError("%q is one argument too many; put the message in quotes", args[len(args)-1])
	case len(args) > want:
		return nil, "", nil, usageError("%q is one argument too many", args[len(args)-1])
	case len(args) < want && len(args) == 0 && want > more:
		return nil, "", nil, usageError("SHIP is missing; name one, or give --all or --role")
	case len(args) < want:
		return nil, "", nil, usageError("TEXT is missing; write it in quotes, or give -f FILE")
	}
	if d, err = b.voyage(t.voyage); err != nil {
		return nil, "", nil, err
	}
	board, err := b.read(ctx, d)
	if err != nil {
		return nil, "", nil, err
	}
	if want > more && more > 0 && args[0] == fleet.Coordinator && board.Voyage.Kind.TakesEpics() {
		return args[:1], d, args[1:], nil
	}
	if want > more {
		name, err := shipName(board.Board, args[0])
		return []string{name}, d, args[1:], err
	}
	for i := range board.Ships {
		if s := &board.Ships[i]; (t.all || s.Role == t.role) && s.Phase != fleet.Failed && s.Phase != fleet.Going {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 && t.all {
		return nil, "", nil, newExitError(NotFound, "", "voyage %s has no ships", title(d))
	}
	if len(names) == 0 {
		return nil, "", nil, newExitError(NotFound, "", "voyage %s has no ship with the role %q", title(d), t.role)
	}
	return names, d, args, nil
}

// forEachShip calls do for all ships concurrently and prints a line for each of them, in order.
func (b *bridge) forEachShip(ctx context.Context, ships []string, do func(context.Context, *api.Client, string) (string, error)) error {
	client, err := b.connectHelm(ctx)
	if err != nil {
		return err
	}
	lines, errs := make([]string, len(ships)), make([]error, len(ships))
	var all sync.WaitGroup
	for i, ship := range ships {
		all.Go(func() { lines[i], errs[i] = do(ctx, client, ship) })
	}
	all.Wait()
	if len(ships) == 1 && errs[0] != nil {
		return errs[0]
	}
	failed := 0
	for i, ship := range ships {
		if errs[i] != nil {
			failed++
			fmt.Fprintf(b.err, "%s %s: %s\n", theme.No.Style.Render(theme.No.Glyph), clean.Line(ship), clean.Line(errs[i].Error()))
			continue
		}
		fmt.Fprintln(b.out, clean.Line(ship+": "+lines[i]))
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d ships: %w", failed, len(ships), errors.Join(errs...))
	}
	return nil
}
