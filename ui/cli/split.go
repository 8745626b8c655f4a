package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/words"
)

func splitCmd(b *bridge) *cobra.Command {
	var voyage, file string
	var inOrder bool
	cmd := &cobra.Command{
		Use:   "split TASK [PART...]",
		Short: "Split a task into several, which ships claim one by one",
		Long: `Split a task that is not done yet: each PART is the title of a new task. They wait for what the task waits for, and the task is done when they
are; what waits for it waits on. A ship that works on it is interrupted, and what it did so far is kept on a ref. A check of the task
becomes that of its last part.

With --file, read the parts as a planner hands them in, with descriptions, checks and what depends on what.`,
		Example: `ocaptain split 7 "Parse the form" "Store it"
ocaptain split 7 --in-order "Parse the form" "Store it" "Show it"
echo '{"tasks": [{"id": "a", "title": "Parse"}, {"title": "Store", "depends_on": ["a"]}]}' | ocaptain split 7 --file -`,
		Args:              wantArgs("TASK", "[PART...]"),
		ValidArgsFunction: b.completeTasks(&voyage, func(t *tasks.State) bool { return t.Status != tasks.Completed }),
		RunE: func(cmd *cobra.Command, args []string) error {
			parts, err := partsOf(args[1:], inOrder, file)
			if err != nil {
				return err
			}
			d, client, t, err := b.taskAtHelm(cmd.Context(), voyage, args[0])
			if err != nil {
				return err
			}
			out, err := client.Split(cmd.Context(), d.ID(), api.SplitRequest{Task: t.ID, Tasks: parts})
			if err != nil {
				return err
			}
			text := fmt.Sprintf("task %s was split into %s: %s", t.ID, words.Counted(len(out.Tasks), "task"), words.Few(out.Tasks))
			if out.Ship != "" {
				text += "; " + out.Ship + " was interrupted"
			}
			if out.Kept != "" {
				text += ", and its work is on " + out.Kept
			}
			fmt.Fprintln(b.out, clean.Line(text))
			return nil
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().BoolVar(&inOrder, "in-order", false, "each part waits for the part before it")
	cmd.Flags().StringVarP(&file, "file", "f", "", "read the parts as JSON from a file, from standard input for -")
	return cmd
}

// partsOf returns the parts that the arguments or the file of a command name.
func partsOf(titles []string, inOrder bool, file string) (json.RawMessage, error) {
	switch {
	case (file == "") == (len(titles) == 0):
		return nil, usageError("name the parts: as words, or as JSON with --file")
	case file != "":
		in, err := openInput(file)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		return io.ReadAll(io.LimitReader(in, tasks.MaxBreakdown+1))
	}
	between := "\n"
	if inOrder {
		between = "\n>"
	}
	return tasks.SplitText(strings.Join(titles, between))
}

// openInput opens the file that a flag names, or standard input for -.
func openInput(file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, usageError("%v", err)
	}
	return in, nil
}
