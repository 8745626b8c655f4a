package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/helm"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
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
		Args: nargs("SHIP", "[SHIP]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			voyage := ""
			if len(args) == 2 {
				voyage = args[0]
			}
			d, err := b.voyage(voyage)
			if err != nil {
				return err
			}
			board, err := fleet.ReadBoard(d)
			if err != nil {
				return err
			}
			name, err := shipName(board, args[len(args)-1])
			if err != nil {
				return err
			}
			if !b.live {
				return fail(Refused, "", "shell needs a terminal")
			}
			return b.shell(cmd.Context(), d, name, raw)
		},
	}
	cmd.Flags().BoolVarP(&raw, "raw", "r", false, "a login shell instead of the agent's terminal")
	return cmd
}

// shell connects this terminal to one on the ship until that ends or the captain leaves.
func (b *bridge) shell(ctx context.Context, d fleet.Dir, name string, raw bool) error {
	f, err := fleet.LoadFleet(d)
	if err != nil {
		return err
	}
	ship := f.Ship(name)
	if ship == nil || ship.HostKey == "" {
		return fail(Refused, "see: ocaptain status", "%s cannot be reached: it is not provisioned", name)
	}
	client, err := b.helm(ctx)
	if err != nil {
		return err
	}
	key, err := helm.Key(b.hub)
	if err != nil {
		return err
	}
	l, err := link.Open(link.Config{
		Name: name, User: ship.Machine.User, HostKey: ship.HostKey, Signers: []ssh.Signer{key},
		Dial: func(ctx context.Context) (net.Conn, error) { return client.Dial(ctx, d.ID(), name) },
	})
	if err != nil {
		return err
	}
	defer l.Close()
	cols, rows, err := term.GetSize(os.Stdout.Fd())
	if err != nil {
		return err
	}
	var run link.Command // a login shell
	if !raw {
		run.Argv = []string{"tmux", "-L", provision.Tmux, "-u", "attach-session", "-t", "=ship"}
	}
	pty, err := l.Pty(ctx, run, link.Terminal{Type: os.Getenv("TERM"), Cols: cols, Rows: rows})
	if err != nil {
		return err
	}
	defer pty.Close()
	err = passThrough(ctx, pty, !raw)
	var exit *link.ExitError
	if raw && errors.As(err, &exit) {
		return nil // how the last command in a shell ended says nothing about the visit
	}
	return err
}

// passThrough joins the terminal and the pty byte by byte.
func passThrough(ctx context.Context, pty *link.Pty, leaves bool) error {
	was, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	defer func() {
		if leaves {
			fmt.Fprint(os.Stdout, sane)
		}
		_ = term.Restore(os.Stdin.Fd(), was)
	}()
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)

	left := make(chan struct{})
	go func() {
		if !leaves {
			_, _ = io.Copy(pty, os.Stdin)
			return
		}
		if readKeys(os.Stdin, pty) {
			close(left)
		}
	}()
	shown := make(chan struct{})
	var broke error // why the ship's output ended, once shown is closed
	go func() {
		defer close(shown)
		_, broke = io.Copy(os.Stdout, pty)
	}()
	quit := func(err error) error {
		_ = pty.Close()
		<-shown // nothing of the ship's may follow what makes the terminal sane
		return err
	}
	for {
		select {
		case <-left:
			return quit(nil)
		case <-ctx.Done():
			return quit(ctx.Err())
		case <-shown:
			if broke != nil {
				return broke
			}
			return pty.Wait()
		case <-resized:
			if cols, rows, err := term.GetSize(os.Stdout.Fd()); err == nil {
				_ = pty.Resize(cols, rows)
			}
		}
	}
}

// sane takes back what tmux may have switched on in the captain's terminal: the other
// screen, mouse and focus reports, bracketed paste, key modes, cursor, colours.
const sane = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[>4;0m\x1b[<u\x1b[?1l\x1b>" +
	"\x1b[?69l\x1b[r\x1b[0m\x1b[0 q\x1b]112\x1b\\\x1b[?25h\x1b[?1049l"
