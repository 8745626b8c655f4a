package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/theme"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/dash"
)

// openDashboard runs ocaptain without a command: on a terminal it opens the dashboard, elsewhere it prints the status
// of the voyage. name is a voyage, "" for the only one.
func (b *bridge) openDashboard(cmd *cobra.Command, name string) error {
	d, err := b.voyage(name)
	var none *fleet.NoVoyage
	switch {
	case err == nil:
	case name == "" && errors.As(err, &none):
		dirs, err := fleet.Voyages(b.hub.Voyages).List()
		switch {
		case err != nil:
			return err
		case b.screen: // the dashboard asks which voyage to show, or how to begin
		case len(dirs) == 0:
			return cmd.Help()
		default:
			return b.listVoyages(cmd.Context(), dirs, false)
		}
	default:
		return err
	}
	if !b.screen {
		v, err := b.read(cmd.Context(), d)
		if err != nil {
			return err
		}
		writeStatus(b.out, v, b.now(), b.width)
		v.printWarnings(b.out)
		return v.staleError()
	}
	c, err := b.config(cmd)
	if err != nil {
		return err
	}
	return b.dashboard(cmd.Context(), c, d, 0, func(ctx context.Context) string { return b.verdict(ctx, cmd) })
}

// isVoyage reports whether a name means a voyage.
func (b *bridge) isVoyage(name string) bool {
	_, err := fleet.Voyages(b.hub.Voyages).Find(name)
	return err == nil
}

// dashboard shows the dashboard until the captain quits. closing, when not 0, is how long the dashboard stays open
// after the voyage's end when the captain has pressed no key. doctor is called when there is no voyage.
func (b *bridge) dashboard(ctx context.Context, c config.Config, d fleet.Dir, closing time.Duration, doctor func(context.Context) string) error {
	look := theme.Name(c.Theme)
	if c.Theme == "auto" {
		look = ""
	}
	yard := b.launchYard()
	yard.Say = nil // the terminal belongs to the dashboard
	_, err := dash.Run(ctx, dash.Options{
		Hub: b.hub, Voyage: d, Theme: look, Helm: b.connectHelm, Yard: yard, Doctor: doctor, Now: b.now,
		Environ: b.environ, Quiet: !c.Bell, Predict: c.Attach.Predict, Closing: closing,
	})
	return err
}
