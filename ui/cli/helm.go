package cli

import (
	"errors"
	"fmt"
	"reflect"
	"syscall"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/theme"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/places"
	"ocaptain/ui/words"
)

func helmCmd(b *bridge) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "helm",
		Short: "Look at or stop the background process that looks after all voyages",
	}
	cmd.AddCommand(helmStatusCmd(b), helmStopCmd(b),
		&cobra.Command{
			Use: "run", Short: "Be helm", Hidden: true, Args: wantArgs(),
			RunE: func(cmd *cobra.Command, _ []string) error {
				syscall.Umask(0o022) // the local ships of root are other users, and read programs that helm keeps; private files have a mode of their own
				return helm.Run(cmd.Context(), b.hub, places.Settings(b.hub), notifier(b.hub), keeper(b.hub))
			},
		},
		&cobra.Command{
			Use: "guard", Short: "Start helm again whenever it dies", Hidden: true, Args: wantArgs(),
			RunE: func(cmd *cobra.Command, _ []string) error { return supervise.KeepRunning(cmd.Context(), b.hub) },
		})
	return cmd
}

func helmStatusCmd(b *bridge) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether helm runs, and what it looks after",
		Args:  wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			hello, err := api.NewClient(b.hub).Hello(cmd.Context())
			if errors.Is(err, api.ErrDown) {
				return newExitError(HelmDown, "any command that needs it starts it", "helm is not running")
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(b.raw, hello)
			}
			fmt.Fprintf(b.out, "%s version %s, process %d, since %s, install %s, %s\n", theme.Yes.Style.Render(theme.Yes.Glyph+" helm runs:"),
				clean.Line(hello.Version), hello.PID, words.Age(b.now().Sub(hello.Since)), clean.Line(hello.Install), words.Counted(len(hello.Voyages), "voyage"))
			for _, v := range hello.Voyages {
				fmt.Fprintln(b.out, clean.Line("  "+v))
			}
			return nil
		},
	}
	jsonFlag(cmd, &asJSON, reflect.TypeFor[api.Hello]())
	return cmd
}

func helmStopCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop helm; ships sail on, but nothing is claimed or merged until it runs again",
		Args:  wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := supervise.Stop(cmd.Context(), b.hub); err != nil {
				return err
			}
			fmt.Fprintln(b.out, "helm is stopped")
			return nil
		},
	}
}

// notifier returns a function that reads the notify command from config.yaml.
func notifier(hub fleet.Hub) helm.Notify {
	return func() ([]string, error) {
		c, err := config.Load(config.Sources{Dir: hub.Config})
		if len(c.Notify) > 0 {
			err = nil // errors in other settings do not matter here
		}
		return c.Notify, err
	}
}

// keeper returns a function that reads from config.yaml how much disk sunk voyages may use.
func keeper(hub fleet.Hub) helm.Keep {
	return func() (int64, error) {
		c, err := config.Load(config.Sources{Dir: hub.Config})
		return c.Disk.Keep, err
	}
}
