package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/sync/bounded"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/changes"
	"ocaptain/ui/graphtext"
)

func diffCmd(b *bridge) *cobra.Command {
	var voyage string
	var raw, asJSON bool
	cmd := &cobra.Command{
		Use:         "diff [SHIP|TASK]",
		Annotations: map[string]string{goesOut: "nothing: work of any ship, as text for your eyes"},
		Short:       "Show what a ship is changing, what a task changed, or all of it",
		Long: `Show a ship's work that is not merged yet, as of its newest snapshot, or what a completed task changed, or one that waits for
you to approve it, or, without an argument, everything that the voyage has changed. Files that steer agents are named first.

What ships write may hold escape sequences, so the text is cleaned; use --raw to feed it to git apply.`,
		Example: `ocaptain diff
ocaptain diff ship-1
ocaptain diff 7
ocaptain diff ship-1 --raw | git apply`,
		Args:              wantArgs("[SHIP|TASK]"),
		ValidArgsFunction: b.completeShips(&voyage),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, board, err := b.find(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			name := board.TaskID(strings.Join(args, ""))
			if done, err := b.showProposed(d, &board.Board, name); done {
				return err
			}
			c, err := findChange(cmd.Context(), d, board.Board, name)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				return c.writeJSON(cmd.Context(), b.raw, d)
			case c.IsEmpty():
				fmt.Fprintf(b.err, "%s: nothing\n", clean.Line(c.Title))
				return nil
			case raw:
				return c.writePatch(cmd.Context(), d, b.raw)
			}
			fmt.Fprintln(b.out, theme.Title.Render(clean.Line(c.Title)))
			steering, err := c.Change.Steering(cmd.Context(), d)
			if err != nil {
				return diffError(err)
			}
			if text := changes.SteeringLine(steering); text != "" {
				fmt.Fprintln(b.out, theme.Warn.String()+" "+text)
			}
			return c.write(cmd.Context(), d, b.out)
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().BoolVar(&raw, "raw", false, "the patch byte by byte, as ships wrote it")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[change]())
	return cmd
}

// showProposed shows the tasks into which a task is to be broken down, when that decomposition waits for the
// captain's approval.
func (b *bridge) showProposed(d fleet.Dir, board *fleet.Board, id string) (bool, error) {
	i := slices.IndexFunc(board.Tasks, func(t tasks.State) bool { return t.ID == id && t.Proposed > 0 })
	if i < 0 {
		return false, nil
	}
	plan, err := graphtext.Proposed(d, &board.Tasks[i])
	if err != nil {
		return true, newExitError(Usage, "mend it, or have it planned again: ocaptain reject "+clean.Line(id), "%v", err)
	}
	graphtext.Write(b.out, plan)
	fmt.Fprintf(b.out, "\nedit  %s\nthen  ocaptain approve %s, or ocaptain reject %[2]s --why \"…\"\n", d.Plan(id), clean.Line(id))
	return true, nil
}

// change is the difference between two commits, for people and as JSON.
type change struct {
	changes.Change
	Files    []fileChange `json:"files"`
	Steering []string     `json:"steering"` // those of the files that steer agents
	Patch    string       `json:"patch"`
}

// fileChange counts the changed lines of a file.
type fileChange = changes.File

// findChange finds the two commits of a ship's, a task's or the whole voyage's change.
func findChange(ctx context.Context, d fleet.Dir, board fleet.Board, name string) (change, error) {
	c, err := changes.Find(ctx, d, board, name)
	return change{Change: c}, diffError(err)
}

// diffError gives an error of reading changes its exit code.
func diffError(err error) error {
	var none *changes.NotFound
	switch {
	case errors.As(err, &none):
		return newExitError(NotFound, none.Advice, "%s", none.Text)
	case errors.Is(err, changes.ErrNoGit):
		return newExitError(Missing, "install git, for example with: sudo apt-get install git", "git is not there")
	}
	return err
}

// writePatch writes the change in git's format.
func (c change) writePatch(ctx context.Context, d fleet.Dir, w io.Writer) error {
	return diffError(c.WritePatch(ctx, d, w))
}

// write shows the change, cleaned and in colour.
func (c change) write(ctx context.Context, d fleet.Dir, w io.Writer) error {
	out := bufio.NewWriter(w)
	err := c.ScanLines(ctx, d, true, func(l changes.Line) error {
		_, err := fmt.Fprintln(out, l.Render(l.Text))
		return err
	})
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return diffError(err)
}

// longestPatch is the limit of the patch in JSON, in bytes.
const longestPatch = 64 << 20

// writeJSON prints the change with its files and the patch.
func (c change) writeJSON(ctx context.Context, w io.Writer, d fleet.Dir) error {
	files, err := c.Change.ListFiles(ctx, d, false)
	if err != nil {
		return diffError(err)
	}
	c.Files = files
	if c.Steering, err = c.Change.Steering(ctx, d); err != nil {
		return diffError(err)
	}
	if !c.IsEmpty() {
		patch := bounded.Refuse(longestPatch)
		err := c.writePatch(ctx, d, patch)
		if patch.IsOver() {
			return errors.New("the patch is too large for JSON; use --raw")
		}
		if err != nil {
			return err
		}
		c.Patch = patch.String()
	}
	return printJSON(w, c)
}
