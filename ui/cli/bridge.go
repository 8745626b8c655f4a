package cli

import (
	"context"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/theme"
	"ocaptain/ui/cli/config"
)

// bridge is what a command works with: the hub's places, the captain's environment and the three standard streams.
type bridge struct {
	hub     fleet.Hub
	environ []string
	cwd     string
	in      io.Reader
	out     io.Writer // output with as much style as its terminal can show
	err     io.Writer
	raw     io.Writer // standard output, byte by byte
	colour  bool      // out shows some style
	live    bool      // both ends are a terminal
	screen  bool      // live, on a terminal that is not dumb
	width   int       // columns of the terminal, 0 when lines may have any length
	now     func() time.Time

	// lasting ends when the commands' contexts do, but not when the terminal closes.
	lasting context.Context
}

func newBridge() (*bridge, error) {
	hub, err := fleet.FindHub()
	if err != nil {
		return nil, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		cwd = hub.Home // the working directory was removed
	}
	environ := os.Environ()
	config.Config{}.Withhold()
	out := theme.Output(os.Stdout, environ)
	live := theme.IsTerminal(os.Stdout) && theme.IsTerminal(os.Stdin)
	return &bridge{
		hub: hub, environ: environ, cwd: cwd,
		in: os.Stdin, out: out, err: theme.Output(os.Stderr, environ), raw: os.Stdout,
		colour: out.Profile > colorprofile.NoTTY,
		live:   live,
		screen: live && !theme.IsDumb(environ),
		width:  columns(), now: time.Now, lasting: context.Background(),
	}, nil
}

// columns returns how wide output may be: the terminal's width, or COLUMNS, or 0 for any width.
func columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if w, _, err := term.GetSize(os.Stdout.Fd()); err == nil {
		return w
	}
	return 0
}

// config reads the configuration. A flag that was given overrides the setting of the same name, with dashes in place
// of underscores.
func (b *bridge) config(cmd *cobra.Command) (config.Config, error) { return b.configWith(cmd, nil) }

// configWith reads the configuration together with a captain.yaml, which may be nil.
func (b *bridge) configWith(cmd *cobra.Command, file *config.Captain) (config.Config, error) {
	flags := map[string]string{}
	for _, key := range []string{"provider", "agent", "model", "default_ships", "max_age", "max_cost", "max_rate", "max_cost_stop"} {
		if f := cmd.Flags().Lookup(config.FlagOf(key)); f != nil && f.Changed {
			flags[key] = f.Value.String()
		}
	}
	if f := cmd.Flags().Lookup("sink-when-done"); f != nil && f.Changed {
		flags["sink"] = map[string]string{"true": config.Verified, "false": "never"}[f.Value.String()]
	}
	c, err := config.Load(config.Sources{Dir: b.hub.Config, Cwd: b.cwd, Environ: b.environ, Flags: flags, Captain: file})
	c.Withhold()
	return c, err
}

// withhold removes secrets from the environment of programs that this process starts, those of the captain's own
// agents included. Reading the configuration does this.
func (b *bridge) withhold() { _, _ = b.config(&cobra.Command{}) }

// connectHelm returns a client of a running helm, starting it when there is none.
func (b *bridge) connectHelm(ctx context.Context) (*api.Client, error) {
	b.withhold()
	c, err := supervise.Ensure(ctx, b.hub)
	if err != nil && ctx.Err() == nil {
		return nil, &exitError{HelmDown, err, "see what stands in its way with: ocaptain doctor"}
	}
	return c, err
}

// voyageAtHelm finds a voyage by its name, "" for the only one, and connects to helm.
func (b *bridge) voyageAtHelm(ctx context.Context, name string) (fleet.Dir, *api.Client, error) {
	d, err := b.voyage(name)
	if err != nil {
		return "", nil, err
	}
	client, err := b.connectHelm(ctx)
	return d, client, err
}
