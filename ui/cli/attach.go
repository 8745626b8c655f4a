package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// attachCmd opens the dashboard: captains who want to return to it expect a command of this name.
func attachCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "attach [VOYAGE]",
		Short: "Come back to a session or a voyage that is under way",
		Long: `Open the dashboard, as ocaptain without a command does. All goes on without it: come back to it from any terminal, also after a reboot.

To come to one ship's agent, see: ocaptain shell.`,
		Example: `ocaptain attach
ocaptain attach voyage-3f9a`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE:              func(cmd *cobra.Command, args []string) error { return b.openDashboard(cmd, strings.Join(args, "")) },
	}
}
