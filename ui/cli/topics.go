package cli

import (
	"github.com/spf13/cobra"

	"ocaptain/fleet/provider/registry"
)

// topics returns the pages of help that belong to no single command.
func topics(b *bridge) []*cobra.Command {
	page := func(name, short, long string) *cobra.Command {
		return &cobra.Command{Use: name, Short: short, Long: long}
	}
	all := []*cobra.Command{
		pageTopic(b, "dashboard", "What the dashboard shows"),
		pageTopic(b, "attention", "What needs you, and what to do about it"),
		pageTopic(b, "phone", "Hear of needs on your phone, and answer them"),
		pageTopic(b, "keys", "Every key of the dashboard"),
		pageTopic(b, "configuration", "What can be configured, and where"),
		pageTopic(b, "plans", "What a plan is, and how to make one"),
		pageTopic(b, "pools", "The next idle worker gets the work"),
		pageTopic(b, "sessions", "A planner breaks down what you want, and workers do it"),
		pageTopic(b, "changing", "Change the work while it sails"),
		pageTopic(b, "captain-yaml", "What a repository's captain.yaml says about sessions"),
		pageTopic(b, "bring", "Files that git ignores and agents need"),
		pageTopic(b, "live", "One tree that you and all ships share"),
		pageTopic(b, "json", "What --json prints, for scripts"),
		pageTopic(b, "agents", "The programs that code, and agents of your own"),
		pageTopic(b, "code-search", "How code is found, by you and by agents"),
		pageTopic(b, "costs", "What ships cost, and what is told and done about it"),
		pageTopic(b, "providers", "Where ships come from"),
		pageTopic(b, "machines", "Why no machine is forgotten"),
		pageTopic(b, "scale", "From one laptop to many hubs"),
		pageTopic(b, "how-it-works", "What helm, ships and agents do"),
		pageTopic(b, "limits", "What ocaptain cannot do"),
		pageTopic(b, "performance", "What was measured, and how to measure it"),
		pageTopic(b, "faults", "What happens when something breaks, and what to do"),
		pageTopic(b, "trust", "Who can do what to you, and what keeps them from it"),
	}
	for _, d := range registry.All() {
		if d.Title != "" {
			all = append(all, pageTopic(b, d.Name, d.Title))
		}
	}
	return append(all, pageTopic(b, "tailscale", "Ships in your tailnet"), page("exit-codes", "What the exit codes mean", exitHelp))
}
