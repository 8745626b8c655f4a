package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"ocaptain/sync/gitflow/ship"

	"github.com/spf13/cobra"

	"ocaptain/fleet/aboard/brought"
	"ocaptain/fleet/aboard/hook"
	"ocaptain/fleet/aboard/ignored"
	"ocaptain/fleet/aboard/orders"
	"ocaptain/fleet/aboard/run"
	"ocaptain/fleet/aboard/script"
	"ocaptain/fleet/aboard/serve"
	"ocaptain/fleet/aboard/setup"
	"ocaptain/fleet/aboard/sshd"
	"ocaptain/fleet/fetch"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/tailnet/join"
	"ocaptain/fleet/trial"
	"ocaptain/theme"
)

// mainAboard runs one of the commands of a ship without setting up anything else: an agent waits for each of its
// hooks, and a captain for each step of a shared tree.
func mainAboard(ctx context.Context, args []string) int {
	cmd := aboardCmd()
	cmd.SilenceErrors = true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	if err != nil {
		printError(theme.Output(os.Stderr, os.Environ()), err)
	}
	return exitCode(err)
}

// aboardCmd holds the commands that ocaptain itself runs on a ship.
func aboardCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:    "aboard",
		Short:  "What ocaptain runs on a ship",
		Hidden: true,
	}
	part := func(use, short string, args cobra.PositionalArgs, start func(ctx context.Context, home string, args []string) error) {
		c := &cobra.Command{Use: use, Short: short, Args: args, Hidden: true, SilenceUsage: true}
		c.RunE = func(cmd *cobra.Command, args []string) error {
			home, err := os.UserHomeDir()
			if err != nil {
				return fmt.Errorf("home directory: %w", err)
			}
			return start(cmd.Context(), home, args)
		}
		c.Flags().SetInterspersed(false)
		cmd.AddCommand(c)
	}
	part("run", "Keep the ship's agent going", wantArgs(), func(_ context.Context, home string, _ []string) error {
		// The runner handles signals itself: a signal that ends a command must not end the runner.
		return run.Run(context.Background(), home)
	})
	part("serve", "Speak for the ship over standard input and output", wantArgs(), func(ctx context.Context, home string, _ []string) error {
		return serve.Run(ctx, home, os.Stdin, os.Stdout)
	})
	part("hook", "Answer a hook of the agent", wantArgs("EVENT"), func(ctx context.Context, home string, args []string) error {
		if code := hook.Answer(ctx, home, args[0], os.Stdin, os.Stdout, os.Stderr); code != 0 {
			return silent(code)
		}
		return nil
	})
	part("probe", "Prove that the agent can work", wantArgs(), func(ctx context.Context, home string, _ []string) error {
		return run.Probe(ctx, home, os.Stdout)
	})
	part("setup", "Run the repository's setup script", wantArgs(), func(ctx context.Context, home string, _ []string) error {
		err := setup.Run(ctx, home)
		if err == nil {
			return nil
		}
		fmt.Println(err) // helm parses this line
		return silent(Failed)
	})
	part("orders", "Write what helm tells the ship", wantArgs(), func(_ context.Context, home string, _ []string) error {
		return orders.Receive(home, os.Stdin)
	})
	part("bring", "Write the files that the captain has brought", wantArgs(), func(ctx context.Context, home string, _ []string) error {
		return brought.Serve(ctx, home, os.Stdout)
	})
	part("ignored", "The files that git ignores", cobra.ArbitraryArgs, func(ctx context.Context, home string, args []string) error {
		return ignored.Serve(ctx, home, args, os.Stdout)
	})
	part("script", "Be the agent without a model", wantArgs(), func(ctx context.Context, home string, _ []string) error {
		return script.Run(ctx, home, os.Stdout)
	})
	part("tree", "The ship's side of the work that travels", wantArgs(), func(ctx context.Context, home string, _ []string) error {
		return ship.ServeLine(ctx, filepath.Join(home, "voyage", "workspace"), os.Stdin, os.Stdout)
	})
	for _, d := range registry.All() {
		for _, p := range d.Parts {
			part(p.Name, p.Short, wantArgs(), func(ctx context.Context, home string, _ []string) error { return p.Run(ctx, home) })
		}
	}
	part("standing-sshd", "The SSH server of a machine that has none", cobra.MaximumNArgs(1), func(ctx context.Context, home string, args []string) error {
		port := sshd.StandingPort
		if len(args) > 0 {
			var err error
			if port, err = strconv.Atoi(args[0]); err != nil {
				return fmt.Errorf("at what port: %w", err)
			}
		}
		return sshd.Stand(ctx, home, port)
	})
	part("fetch", "Fetch the agent's program", wantArgs(), func(ctx context.Context, home string, _ []string) error {
		return fetch.Serve(ctx, home, os.Stdin)
	})
	part("trial", "Try a version of an agent", wantArgs(), func(ctx context.Context, _ string, _ []string) error {
		return trial.Serve(ctx, "/tmp", os.Stdin, os.Stdout)
	})
	part("tailnet", "Join the captain's tailnet", wantArgs(), func(ctx context.Context, home string, _ []string) error {
		return join.Serve(ctx, home, os.Stdin, os.Stdout)
	})
	return cmd
}
