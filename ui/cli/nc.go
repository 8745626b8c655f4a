package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/theme"
)

func ncCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "nc HOST PORT",
		Short: "Connect standard input and output to a port of a ship or of the tailnet",
		Long: `Connect standard input and output to a port, as nc does: for the ProxyCommand of your own ssh.

HOST is VOYAGE/SHIP, whose port 22 is the ship's SSH server wherever it listens, or a name or
address in your tailnet. Helm dials, in the way in which it reaches its ships.

It ends when the other side has said all. Where the way there cannot tell that side that the input
has ended, as through a Tailscale in userspace, it fails when nothing has come for ten seconds.`,
		Example: `  ssh -o ProxyCommand='ocaptain nc %h %p' tailnet-host
  ocaptain nc voyage-0a1b2c3d4e5f/ship-0 22`,
		Args: wantArgs("HOST", "PORT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			port, err := strconv.Atoi(args[1])
			if err != nil || port < 1 || port >= 1<<16 {
				return usageError("%.20q is no port: give a number from 1 to 65535", args[1])
			}
			if theme.IsTerminal(b.raw) {
				return errors.New("what a machine sends does not go to a terminal, which it could change: nc is for pipes and ssh's ProxyCommand; add | cat -v")
			}
			conn, err := b.reachPort(cmd.Context(), args[0], port)
			if err != nil {
				return err
			}
			defer conn.Close()
			return copyBothWays(cmd.Context(), conn, b.in, b.raw, lull)
		},
	}
}

// reachPort has helm dial a port.
func (b *bridge) reachPort(ctx context.Context, host string, port int) (net.Conn, error) {
	client, err := b.connectHelm(ctx)
	if err != nil {
		return nil, err
	}
	voyage, name, ok := strings.Cut(host, "/")
	if !ok {
		return client.DialNet(ctx, host, port)
	}
	board, err := client.Board(ctx, voyage)
	if err != nil {
		return nil, err
	}
	for i := range board.Ships {
		ship := &board.Ships[i]
		switch {
		case ship.Name != name:
		case port == 22:
			return client.Dial(ctx, voyage, name)
		case ship.Tailnet == nil:
			return nil, fmt.Errorf("%s is not in the tailnet: only its port 22, its SSH server, can be reached", name)
		default:
			return client.DialNet(ctx, ship.Tailnet.IP, port)
		}
	}
	return nil, fmt.Errorf("voyage %s has no %.40q", voyage, name)
}
