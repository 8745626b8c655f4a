package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/editor"
	"ocaptain/ui/taskfile"
)

func editCmd(b *bridge) *cobra.Command {
	var voyage, file string
	var w taskWords
	cmd := &cobra.Command{
		Use:     "edit TASK",
		Aliases: []string{"move"},
		Short:   "Change a task: its words, priority, blockers, check, or who does it",
		Long: `Change a task that is not done yet. The flags say what becomes different. Without any, $VISUAL or $EDITOR opens the task as a
text, and what you change there and save is changed. An agent that works on the task is told the difference. Of a dispatch
that waits the command, the priority and the worker can be changed.

What would make tasks wait for each other, or for a task that is not there, changes nothing and is refused.`,
		Example: `ocaptain edit 7
ocaptain edit 7 --priority P0 --after 3,4 --not-after 2
ocaptain move 7 --ship ship-2 --reason "it knows that code"
ocaptain edit 7 --file - < task.txt`,
		Args:              wantArgs("TASK"),
		ValidArgsFunction: b.completeTasks(&voyage, func(t *tasks.State) bool { return t.Status != tasks.Completed }),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, client, t, err := b.taskAtHelm(cmd.Context(), voyage, args[0])
			if err != nil {
				return err
			}
			if err := readText(&w.description); err != nil {
				return err
			}
			e, err := w.edit(cmd, t)
			switch flags := e != nil && !e.IsNothing(); {
			case err != nil:
				return err
			case flags && file != "":
				return usageError("say what becomes different with --file or with other flags, not with both")
			case flags:
			case file != "":
				e, err = readTask(file, t)
			default:
				e, err = b.editTask(cmd.Context(), t)
			}
			if err != nil || e == nil {
				if err == nil {
					fmt.Fprintf(b.out, "task %s stays as it is\n", clean.Line(t.ID))
				}
				return err
			}
			e.Reason = w.reason
			return b.changeTask(cmd.Context(), client, d, *e)
		},
	}
	voyageFlag(b, cmd, &voyage)
	w.flags(cmd)
	f := cmd.Flags()
	f.StringVarP(&file, "file", "f", "", "read the text of the task from a file, from standard input for -")
	f.StringVar(&w.subject, "subject", "", "what it is called")
	f.StringVar(&w.description, "description", "", "what is to be done, from standard input for -")
	f.StringVar(&w.notAfter, "not-after", "", "tasks that it waits for no more, like 3,4")
	f.StringVar(&w.notBefore, "not-before", "", "tasks that wait for it no more")
	return cmd
}

// taskWords holds the flags that describe a task.
type taskWords struct {
	subject, description, priority, labels, after, before, notAfter, notBefore, check, run, ship, agent, model, reason string
}

// flags adds the flags that a new task takes as well.
func (w *taskWords) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.priority, "priority", "", "how urgent it is, from P0 to P4; P2 where nothing is said")
	f.StringVar(&w.labels, "labels", "", "words by which it is found, like backend,auth")
	f.StringVar(&w.after, "after", "", "tasks that it waits for, like 3,4")
	f.StringVar(&w.before, "before", "", "tasks that wait for it")
	f.StringVar(&w.check, "check", "", "a command that must succeed before its work is merged")
	f.StringVar(&w.run, "run", "", "the command that the agent script runs for it")
	f.StringVar(&w.ship, "ship", "", "the only ship that is to do it, \"\" for any")
	f.StringVar(&w.agent, "agent", "", "the only agent that is to do it, \"\" for any")
	f.StringVar(&w.model, "model", "", "the only model that is to do it, \"\" for any")
	f.StringVar(&w.reason, "reason", "", "why: it is kept with the task, and its agent is told")
}

// edit returns the edit of a task that the flags describe; t is nil for a new task.
func (w *taskWords) edit(cmd *cobra.Command, t *tasks.State) (*tasks.Edit, error) {
	e := &tasks.Edit{Subject: strings.TrimSpace(w.subject), Reason: w.reason}
	if t != nil {
		e.Task = t.ID
	}
	e.Description = strings.TrimRight(w.description, "\n")
	e.BlockedBy, e.Blocks = taskfile.List(w.after), taskfile.List(w.before)
	e.UnblockedBy, e.Unblocks = taskfile.List(w.notAfter), taskfile.List(w.notBefore)
	changed := cmd.Flags().Changed
	if changed("priority") {
		p, err := readPriority(w.priority)
		if err != nil {
			return nil, err
		}
		e.Priority = &p
	}
	if changed("labels") {
		labels := taskfile.List(w.labels)
		e.Labels = &labels
	}
	for flag, is := range map[string]struct {
		text string
		set  **string
	}{"check": {w.check, &e.Verify}, "run": {w.run, &e.Run}, "ship": {w.ship, &e.Ship}, "agent": {w.agent, &e.Agent}, "model": {w.model, &e.Model}} {
		if changed(flag) {
			text := strings.TrimSpace(is.text)
			*is.set = &text
		}
	}
	if e.IsNothing() {
		return e, nil
	}
	if err := e.Check(); err != nil {
		return nil, usageError("%v", err)
	}
	return e, nil
}

// readTask reads the edit of a task from a file.
func readTask(file string, t *tasks.State) (*tasks.Edit, error) {
	in, err := openInput(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, taskfile.MaxText+1))
	if err != nil {
		return nil, err
	}
	e, err := taskfile.Parse(raw, t)
	if err != nil {
		return nil, usageError("%s: %v", file, err)
	}
	return e, nil
}

// editTask lets the captain edit a task in an editor. A text that cannot be parsed stays in its file.
func (b *bridge) editTask(ctx context.Context, t *tasks.State) (*tasks.Edit, error) {
	if !b.live {
		return nil, usageError("say with flags what becomes different, or with --file: there is no terminal for an editor")
	}
	draft, err := editor.NewDraft("task-"+t.ID+".yaml", taskfile.Text(t))
	if err != nil {
		return nil, err
	}
	cmd, err := b.editorOn(draft)
	if err != nil {
		draft.Remove()
		return nil, err
	}
	kept := fmt.Sprintf("your text is in %s: mend it, then ocaptain edit %s --file %[1]s", clean.Line(draft.Path), clean.Line(t.ID))
	if err := cmd.Run(); err != nil {
		return nil, newExitError(Failed, kept, "the editor failed, and nothing is changed: %w", err)
	}
	raw, err := draft.Read(taskfile.MaxText)
	var e *tasks.Edit
	if err == nil {
		e, err = taskfile.Parse(raw, t)
	}
	if err != nil || ctx.Err() != nil {
		return nil, newExitError(Usage, kept, "nothing is changed: %w", errors.Join(err, ctx.Err()))
	}
	draft.Remove()
	return e, nil
}

// changeTask has helm change or add a task, and prints what helm did.
func (b *bridge) changeTask(ctx context.Context, client *api.Client, d fleet.Dir, e tasks.Edit) error {
	done, err := client.Edit(ctx, d.ID(), api.EditRequest{Edit: e})
	if err != nil {
		return err
	}
	text := "task " + done.Task + " is changed"
	if e.Task == "" {
		text = "task " + done.Task + " is added"
	}
	switch {
	case done.Told:
		text += "; " + done.Worker + ", which works on it, is told"
	case done.Worker != "":
		text += "; " + done.Worker + " works on it and cannot be told: requeue it to have it begun again"
	}
	fmt.Fprintln(b.out, clean.Line(text))
	return nil
}

// taskAtHelm finds a task of a voyage that helm looks after.
func (b *bridge) taskAtHelm(ctx context.Context, voyage, name string) (fleet.Dir, *api.Client, *tasks.State, error) {
	d, client, err := b.voyageAtHelm(ctx, voyage)
	if err != nil {
		return "", nil, nil, err
	}
	board, err := client.Board(ctx, d.ID())
	if err != nil {
		return "", nil, nil, err
	}
	id := board.TaskID(name)
	i := slices.IndexFunc(board.Tasks, func(t tasks.State) bool { return t.ID == id })
	if i < 0 {
		return "", nil, nil, api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: clean.Line(name)})
	}
	return d, client, &board.Tasks[i], nil
}

// completeTasks completes the id of a task.
func (b *bridge) completeTasks(voyage *string, fits func(*tasks.State) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		if d, err := b.voyage(*voyage); err == nil && len(args) == 0 {
			board, _ := fleet.ReadBoard(d)
			for i := range board.Tasks {
				if t := &board.Tasks[i]; fits(t) {
					ids = append(ids, clean.Line(t.ID)+"\t"+clean.Line(t.Subject))
				}
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
