package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/words"
)

// The sources from which a session is repaired.
const (
	fromGit   = "git"
	fromBeads = "beads"
)

func repairCmd(b *bridge) *cobra.Command {
	var voyage string
	var from []string
	var force bool
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Put back what a Redis has lost of a session",
		Long: `When the Redis of a session was emptied, or replaced by an older copy with which other hubs went on, a need says so, and this hub
changes nothing any more. Put back what it had: tasks and who has them from its journal, completions from the commits of the branch, and with
beads also tasks that only the issues of Beads tell of. What other hubs do now stays. It is shown first what would be put back.

Nothing happens to a session whose Redis has lost nothing.`,
		Example: `ocaptain repair --from git
ocaptain repair --from git,beads --voyage add-login -f`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(from, fromGit) || slices.ContainsFunc(from, func(w string) bool { return w != fromGit && w != fromBeads }) {
				return usageError("--from is git, or git,beads: only the commits of the branch tell what is done")
			}
			d, client, err := b.voyageAtHelm(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			r := api.RepairRequest{Beads: slices.Contains(from, fromBeads)}
			look, err := client.Repair(cmd.Context(), d.ID(), r)
			if err != nil {
				return err
			}
			if look.Healthy {
				fmt.Fprintln(b.out, "Redis has lost nothing that this hub knows of, and nothing was changed")
				return nil
			}
			for _, line := range repairLines(look) {
				fmt.Fprintln(b.out, line)
			}
			if err := b.confirm(cmd.Context(), "put this back into Redis", nil, "", force); err != nil {
				return err
			}
			r.CarryOut = true
			if _, err := client.Repair(cmd.Context(), d.ID(), r); err != nil {
				return err
			}
			fmt.Fprintln(b.out, "put back; run ocaptain repair at each other hub whose entries Redis has lost")
			return nil
		},
	}
	voyageFlag(b, cmd, &voyage)
	f := cmd.Flags()
	f.StringSliceVar(&from, "from", nil, "what tells of the session: git, or git,beads")
	f.BoolVarP(&force, "force", "f", false, "do not ask")
	return cmd
}

// repairLines lists what a repair would restore.
func repairLines(r api.Repaired) []string {
	var lines []string
	for _, part := range []struct {
		ids  []string
		what string
	}{
		{r.Added, "added again"},
		{r.Done, "completed"},
		{r.Held, "with their ships as before"},
		{r.Pending, "pending, or in review"},
	} {
		if n := len(part.ids); n > 0 {
			lines = append(lines, fmt.Sprintf("%s %s: %s", words.Counted(n, "task"), part.what, clean.Line(tasks.JoinIDs(part.ids))))
		}
	}
	if len(r.Others) > 0 {
		var names []string
		for _, subject := range r.Others {
			names = append(names, words.FitWidth(clean.Line(subject), maxGoal))
		}
		lines = append(lines, "not put back, as other hubs have given their ids to other tasks, so ask for them again: "+strings.Join(names, "; "))
	}
	if len(lines) == 0 {
		lines = []string{"no task has to be put back: this hub only goes on with what Redis has"}
	}
	return lines
}
