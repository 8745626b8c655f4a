package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/ui/cli/config"
)

// topics are pages of help that belong to no single command.
func topics(b *bridge) []*cobra.Command {
	page := func(name, short, long string) *cobra.Command {
		return &cobra.Command{Use: name, Short: short, Long: long}
	}
	return []*cobra.Command{
		pageTopic(b, "faults", "What happens when something breaks, and what to do"),
		pageTopic(b, "trust", "Who can do what to you, and what keeps them from it"),
		pageTopic(b, "hosts", "Ships on machines of your own"),
		pageTopic(b, "sprites", "Ships at sprites.dev"),
		pageTopic(b, "exedev", "Ships at exe.dev"),
		pageTopic(b, "tailscale", "Ships in your tailnet"),
		page("exit-codes", "What the exit codes mean", exitHelp),
		page("configuration", "What can be configured, and where", configurationHelp()),
	}
}

// configurationHelp is written from the same table that reads the configuration.
func configurationHelp() string {
	var s strings.Builder
	s.WriteString(`A flag wins over the environment, the environment over ~/.config/ocaptain/config.yaml, and that over the
default. Variables may also stand in ~/.config/ocaptain/.env and, after that, in .env of the present directory;
neither overrides the environment. The .env of the present directory may be somebody else's: it decides neither
what runs, what it costs nor where secrets go; of the settings only OCAPTAIN_THEME and OCAPTAIN_BELL count there.
OCAPTAIN_HOME puts everything that ocaptain keeps under one directory.

In config.yaml, or as a variable:
`)
	for _, set := range config.Settings() {
		fmt.Fprintf(&s, "\n  %-14s %-23s %s", set.Key, set.Env, set.Help)
		if set.Default != "" {
			fmt.Fprintf(&s, " (%s)", set.Default)
		}
	}
	s.WriteString("\n\nOnly as a variable:\n")
	for _, v := range config.Variables() {
		fmt.Fprintf(&s, "\n  %-32s %s", v.Name, v.Help)
		switch v.Counts {
		case config.OwnFile:
			s.WriteString(" (not from .env of the present directory)")
		case config.NoFile:
			s.WriteString(" (from no .env)")
		}
	}
	return s.String()
}
