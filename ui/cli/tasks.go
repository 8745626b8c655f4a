package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"ocaptain/ui/words"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
)

// taskFilters are the words that --status takes.
var taskFilters = []string{"pending", "ready", "blocked", "delayed", "on_hold", "in_progress", "in_review", "completed", "cancelled"}

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
			board, err := b.readLive(cmd.Context(), d)
			if err != nil {
				return err
			}
			some := filterTasks(board.Tasks, status, b.now())
			board.printWarnings(b.err)
			if asJSON {
				return errors.Join(printJSON(b.raw, judged(&board.Voyage, some, blockers(board.Tasks), b.now())), board.staleError())
			}
			if len(some) == 0 {
				text := "Voyage %s has no tasks.\n"
				if status != "" && len(board.Tasks) > 0 {
					text = "Voyage %s has no task that is " + strings.ReplaceAll(status, "_", " ") + ".\n"
				}
				fmt.Fprintf(b.out, text, title(d))
				return board.staleError()
			}
			writeTasks(b.out, &board.Voyage, some, blockers(board.Tasks), b.now(), b.width)
			return board.staleError()
		},
	}
	cmd.Flags().StringVarP(&status, "status", "s", "", "only tasks that are "+strings.Join(taskFilters, ", "))
	_ = cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(taskFilters, cobra.ShellCompDirectiveNoFileComp))
	jsonFlag(cmd, &asJSON, reflect.TypeFor[[]tasks.State]())
	return cmd
}

// filterTasks returns the tasks in a status, or all of them for "".
func filterTasks(all []tasks.State, status string, now time.Time) []tasks.State {
	open := blockers(all)
	some := []tasks.State{}
	for i := range all {
		is := fleet.Stand(&all[i], len(open[all[i].ID]) > 0, now)
		begun := is == fleet.TaskWorking || is == fleet.TaskInReview || is.IsOver()
		if status == "" || status == "pending" && !begun || status == strings.ReplaceAll(is.String(), " ", "_") {
			some = append(some, all[i])
		}
	}
	return some
}

// standingField is what the JSON of a task has beside the state in the store.
type standingField struct {
	Is       fleet.Standing   `json:"is"`
	Step     fleet.ReviewStep `json:"step,omitempty"`
	Reviewer string           `json:"reviewer,omitempty"`
	Back     bool             `json:"back,omitempty"`  // the task was handed in and came back
	Issue    string           `json:"issue,omitempty"` // id of the issue in Beads
}

// judged adds to the JSON of each task where the task stands, as the field "standing".
func judged(v *fleet.Voyage, some []tasks.State, open map[string][]string, now time.Time) []tasks.State {
	all := slices.Clone(some)
	for i := range all {
		t := &all[i]
		_, back := fleet.IsBack(t)
		raw, _ := json.Marshal(standingField{fleet.Stand(t, len(open[t.ID]) > 0, now), fleet.StepOf(t), fleet.Reviewer(t), back, v.Bead(&t.Task)}) // words always marshal
		t.Task = t.Clone()
		if t.Extra == nil {
			t.Extra = map[string]json.RawMessage{}
		}
		t.Extra["standing"] = raw
	}
	return all
}

// writeTasks prints tasks; open holds the blockers of tasks that are not completed, by task.
func writeTasks(w io.Writer, v *fleet.Voyage, some []tasks.State, open map[string][]string, now time.Time, width int) {
	t := table{heads: []string{"ID", "TITLE", "STATUS", "OWNER", "BLOCKED BY", "COMMIT"}, flex: 1}
	issues := v.Beads.Prefix != ""
	if issues {
		t.heads = append(t.heads, "ISSUE")
	}
	for i := range some {
		s := &some[i]
		look := theme.Task(fleet.Stand(s, len(open[s.ID]) > 0, now))
		owner := s.Owner
		if s.InReview() {
			owner = s.HandIn.Owner
		}
		cells := []cell{
			{s.ID, theme.Plain},
			{s.Subject, theme.Plain},
			{look.Glyph + " " + look.Word + onItsWay(s), look.Style},
			{orWord(owner, "-"), theme.ShipStyle(owner)},
			{orWord(joinFew(open[s.ID]), "-"), theme.Dim},
			{commitText(s), theme.Dim},
		}
		if issues {
			cells = append(cells, cell{v.Bead(&s.Task), theme.Dim})
		}
		t.add(cells...)
	}
	t.write(w, width)
}

// commitText returns the text that names the commit of a task.
func commitText(t *tasks.State) string {
	if t.Empty {
		return "nothing changed"
	}
	return orWord(words.ShortCommit(t.Commit), "-")
}

// onItsWay says in few words where in review a task is, or that its work came back.
func onItsWay(t *tasks.State) string {
	with, back := fleet.IsBack(t)
	switch step := fleet.StepOf(t); {
	case step == fleet.StepReviewing:
		return ": by " + t.Owner
	case step == fleet.StepWaits, step == fleet.StepMerging:
		return ": " + string(step)
	case back && with == "":
		return ": sent back"
	case back:
		return ": back at " + with
	}
	return ""
}

// joinFew joins the first words, four at most.
func joinFew(words []string) string {
	const most = 4
	if len(words) > most {
		return strings.Join(words[:most], ", ") + fmt.Sprintf(" +%d", len(words)-most)
	}
	return strings.Join(words, ", ")
}
