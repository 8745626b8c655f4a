package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ocaptain/ui/words"

	"github.com/spf13/cobra"

	"ocaptain/tasks"
	"ocaptain/theme"
)

// taskFilters are the words that --status takes.
var taskFilters = []string{"pending", "ready", "blocked", "on_hold", "in_progress", "completed"}

func tasksCmd(b *bridge) *cobra.Command {
	var asJSON bool
	var status string
	cmd := &cobra.Command{
		Use:   "tasks [VOYAGE]",
		Short: "List the tasks of a voyage",
		Example: `ocaptain tasks
ocaptain tasks --status ready
ocaptain tasks voyage-3f9a --json`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			status = strings.ReplaceAll(status, "-", "_")
			if status != "" && !slices.Contains(taskFilters, status) {
				return usageError("no task can have the status %q; there are: %s", status, strings.Join(taskFilters, ", "))
			}
			d, err := b.voyage(strings.Join(args, ""))
			if err != nil {
				return err
			}
			board, err := b.read(cmd.Context(), d)
			if err != nil {
				return err
			}
			some := filterTasks(board.Tasks, status)
			board.printWarnings(b.err)
			if asJSON {
				return errors.Join(printJSON(b.raw, some), board.staleError())
			}
			if len(some) == 0 {
				text := "Voyage %s has no tasks.\n"
				if status != "" && len(board.Tasks) > 0 {
					text = "Voyage %s has no task that is " + strings.ReplaceAll(status, "_", " ") + ".\n"
				}
				fmt.Fprintf(b.out, text, d.ID())
				return board.staleError()
			}
			writeTasks(b.out, some, blockers(board.Tasks), b.width)
			return board.staleError()
		},
	}
	cmd.Flags().StringVarP(&status, "status", "s", "", "only those that are "+strings.Join(taskFilters, ", "))
	_ = cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(taskFilters, cobra.ShellCompDirectiveNoFileComp))
	jsonFlag(cmd, &asJSON)
	return cmd
}

// filterTasks returns the tasks in a status, or all of them for "".
func filterTasks(all []tasks.State, status string) []tasks.State {
	open := blockers(all)
	some := []tasks.State{}
	for i := range all {
		if status == "" || status == string(all[i].Status) || status == pendingWord(&all[i], open) {
			some = append(some, all[i])
		}
	}
	return some
}

// pendingWord is what a pending task is, "" for another; open holds the blockers of those that wait.
func pendingWord(t *tasks.State, open map[string][]string) string {
	switch {
	case t.Status != tasks.Pending:
		return ""
	case t.OnHold:
		return "on_hold"
	case len(open[t.ID]) > 0:
		return "blocked"
	}
	return "ready"
}

// writeTasks prints tasks; open holds the blockers of those that wait.
func writeTasks(w io.Writer, some []tasks.State, open map[string][]string, width int) {
	t := table{heads: []string{"ID", "TITLE", "STATUS", "OWNER", "BLOCKED BY", "COMMIT"}, flex: 1}
	for i := range some {
		s := &some[i]
		look := theme.TaskState(s.Status, len(open[s.ID]) > 0)
		if s.OnHold {
			look = theme.TaskOnHold
		}
		t.add(
			cell{s.ID, theme.Plain}, cell{s.Subject, theme.Plain}, cell{look.Glyph + " " + look.Word, look.Style},
			cell{orWord(s.Owner, "-"), theme.ShipStyle(s.Owner)}, cell{orWord(joinFew(open[s.ID]), "-"), theme.Dim},
			cell{orWord(words.ShortCommit(s.Commit), "-"), theme.Dim},
		)
	}
	t.write(w, width)
}

// joinFew joins at most four words.
func joinFew(words []string) string {
	const most = 4
	if len(words) > most {
		return strings.Join(words[:most], ", ") + fmt.Sprintf(" +%d", len(words)-most)
	}
	return strings.Join(words, ", ")
}
