package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"ocaptain/ui/words"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/helm"
	"ocaptain/theme"
)

func sailCmd(b *bridge) *cobra.Command {
	var repo string
	var unconfined, detach, asJSON bool
	cmd := &cobra.Command{
		Use:   "sail [PLAN]",
		Short: "Launch a voyage from a plan, or one interactive ship without",
		Long: `Launch a voyage from a plan directory, or from a plan that comes with ocaptain: example:tiny, example:harbor.
Plan, tokens and repository are checked first, and nothing is made when one of them is wrong. ctrl-c takes everything back.
On a terminal the voyage is then shown live; leaving that, or closing the terminal, stops nothing.

Without a plan, one ship with an interactive agent is launched, in a fresh repository or in that of --repo.`,
		Example: `ocaptain sail ./plans/add-auth --ships 5
ocaptain sail example:harbor --agent script
ocaptain sail --repo owner/repo`,
		Args: nargs("[PLAN]"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, part string) ([]string, cobra.ShellCompDirective) {
			return completePlan(cmd, args, part)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := b.order(cmd, strings.Join(args, ""), repo, unconfined)
			if err != nil {
				return err
			}
			d, err := b.sail(cmd.Context(), o)
			if err != nil {
				return err
			}
			return b.underSail(cmd.Context(), d, o, detach, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringP("ships", "n", "", "how many ships (default: OCAPTAIN_DEFAULT_SHIPS, else the plan's number, else 3)")
	f.String("provider", "", "where ships come from: "+strings.Join(providers, ", "))
	f.String("agent", "", "the program that codes (default claude)")
	f.String("model", "", "model that the agent is asked to use")
	f.StringVarP(&repo, "repo", "r", "", "repository instead of the plan's: owner/repo, a URL, a path, or none")
	f.BoolVar(&unconfined, "unconfined", false, "agree to agents on this machine that no sandbox holds")
	f.BoolVar(&detach, "detach", false, "return as soon as the voyage sails, also on a terminal")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// sail makes the voyage's directory and has helm fit it out. When that fails or ctx ends,
// everything is taken back.
func (b *bridge) sail(ctx context.Context, o order) (fleet.Dir, error) {
	r := b.reporter()
	s, err := b.stage(ctx, o, r)
	if err != nil {
		return "", err
	}
	defer s.remove()
	client, err := b.helm(ctx)
	if err != nil {
		return "", err
	}
	d, err := s.launch()
	if err != nil {
		return "", err
	}
	err = client.Sail(ctx, d.ID(), helm.SailRequest{Ships: o.ships, Secrets: o.secrets, Env: o.env}, r.report)
	if lost(err) {
		// Helm died. The next one is there in a moment and goes on by itself.
		r.report(helm.Progress{State: helm.Say, Text: "helm was lost and comes back; the voyage goes on"})
		err = b.waitForSail(ctx, d)
	}
	if err != nil {
		return "", b.takeBack(ctx, d, err)
	}
	return d, nil
}

// lost reports whether an answer of helm's broke off.
func lost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// waitForSail waits until a voyage that helm fits out sails.
func (b *bridge) waitForSail(ctx context.Context, d fleet.Dir) error {
	sails := errors.New("sails")
	err := fleet.FollowBoard(ctx, d, func(board fleet.Board) error {
		failed := len(board.Ships) > 0
		for _, s := range board.Ships {
			failed = failed && s.Phase == fleet.Failed
		}
		switch {
		case board.Phase != fleet.Fitting:
			return sails
		case failed:
			return fmt.Errorf("no ship could be fitted out: %s", board.Ships[0].Error)
		}
		return nil
	})
	if errors.Is(err, sails) {
		return nil
	}
	return err
}

// takeBack sinks what there is of a voyage that could not sail, and removes its directory.
func (b *bridge) takeBack(ctx context.Context, d fleet.Dir, why error) error {
	fmt.Fprintln(b.err, theme.Dim.Render("taking everything back …"))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Minute)
	defer cancel()
	client, err := b.helm(ctx)
	if err == nil {
		err = client.Sink(ctx, d.ID(), nil)
	}
	if err == nil {
		err = os.RemoveAll(string(d))
	}
	if err != nil {
		return fail(code(why), "try: ocaptain sink "+d.ID(), "%w; and what there was of %s could not be taken back: %w", why, d.ID(), err)
	}
	return why
}

// underSail says what there is now, and shows it.
func (b *bridge) underSail(ctx context.Context, d fleet.Dir, o order, detach, asJSON bool) error {
	board, err := helm.NewClient(b.hub).Board(ctx, d.ID()) // the file may be a second older
	if err != nil {
		board, err = fleet.ReadBoard(d)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(b.raw, board)
	}
	fmt.Fprintf(b.out, "%s sails with %s", d.ID(), words.Count(len(board.Ships), "ship"))
	if o.plan != nil {
		fmt.Fprintf(b.out, " and %s", words.Count(len(o.plan.Tasks), "task"))
	}
	fmt.Fprintln(b.out)
	hints := [][2]string{{"watch", "ocaptain"}, {"attach", "ocaptain shell " + d.ID() + " ship-0"}, {"read", "ocaptain logs " + d.ID() + " --follow"}}
	for _, h := range hints {
		fmt.Fprintf(b.out, "  %-7s %s\n", h[0], h[1])
	}
	switch {
	case detach || !b.live:
		return nil
	case o.plan == nil:
		return b.shell(ctx, d, "ship-0", false)
	}
	_, err = b.showLive(ctx, d, false)
	return err
}
