package cli

import (
	"errors"
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"ocaptain/fleet"
	"ocaptain/ui/attach"
)

func shellCmd(b *bridge) *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:   "shell VOYAGE SHIP",
		Short: "Attach to a ship's agent, or log in",
		Long: `VOYAGE may be left out when there is only one.

Attach to the terminal of a ship's agent. Keys go to the agent as they are; ctrl-q leaves, and ctrl-q twice sends it.
With --raw, log in to a shell beside the agent instead.`,
		Example: `ocaptain shell ship-0
ocaptain shell voyage-3f9a ship-2 --raw`,
		Args: wantArgs("SHIP", "[SHIP]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			voyage := ""
			if len(args) == 2 {
				voyage = args[0]
			}
			d, board, err := b.find(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			name, err := shipName(board.Board, args[len(args)-1])
			if err != nil {
				return err
			}
			if !b.live {
				return newExitError(Refused, "", "shell needs a terminal")
			}
			return b.openShell(cmd, d, name, raw)
		},
	}
	cmd.Flags().BoolVarP(&raw, "raw", "r", false, "a login shell instead of the agent's terminal")
	return cmd
}

// openShell connects this terminal to a shell on the ship until the shell ends or the captain leaves.
func (b *bridge) openShell(cmd *cobra.Command, d fleet.Dir, name string, raw bool) error {
	ctx := cmd.Context()
	client, err := b.connectHelm(ctx)
	if err != nil {
		return err
	}
	l, err := attach.OpenLink(b.hub, d, name, client)
	var absent *attach.Absent
	if errors.As(err, &absent) {
		return newExitError(Refused, "see: ocaptain status", "%w", err)
	}
	if err != nil {
		return err
	}
	defer l.Close()
	cols, rows, err := term.GetSize(os.Stdout.Fd())
	if err != nil {
		return err
	}
	c, err := b.config(cmd)
	if err != nil {
		return err
	}
	visit, err := attach.Open(ctx, l, attach.Options{Ship: name, Type: os.Getenv("TERM"), Cols: cols, Rows: rows, TrueColor: trueColor(), Login: raw, Predict: c.Attach.Predict})
	if err != nil {
		return err
	}
	visit.SetStdin(os.Stdin)
	visit.SetStdout(os.Stdout)
	err = visit.Run()
	giveBack(os.Stdin, visit.UnreadInput())
	return err
}

// giveBack gives keys that were typed after the ctrl-q to the shell that reads next. If the kernel forbids that, the
// keys are lost.
func giveBack(tty *os.File, keys []byte) {
	for _, b := range keys {
		if unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSTI, int(b)) != nil {
			return
		}
	}
}

// trueColor reports whether this terminal claims to show all colours.
func trueColor() bool {
	v := os.Getenv("COLORTERM")
	return v == "truecolor" || v == "24bit"
}
