package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/ui/editor"
)

func openCmd(b *bridge) *cobra.Command {
	var voyage string
	cmd := &cobra.Command{
		Use:         "open TASK|SHIP [FILE]",
		Annotations: map[string]string{goesOut: "nothing: work of any ship, in your editor, which may heed what a file says of itself, such as modelines"},
		Short:       "Open the diff of a ship or a task in your editor, or a file of it",
		Long: `Start $VISUAL or $EDITOR on what a ship is changing or a task changed, as a patch. With FILE, on that file as the ship or the task has
it. The text is a copy: what you change in it is lost.`,
		Example: `ocaptain open 7
ocaptain open ship-1
ocaptain open ship-1 src/auth/login.go`,
		Args:              wantArgs("TASK|SHIP", "[FILE]"),
		ValidArgsFunction: b.completeShips(&voyage),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !b.live {
				return newExitError(Usage, "read it with: ocaptain diff "+clean.Line(args[0]), "there is no terminal for an editor")
			}
			d, board, err := b.find(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			c, err := findChange(cmd.Context(), d, board.Board, board.TaskID(args[0]))
			if err != nil {
				return err
			}
			draft, err := c.draft(cmd.Context(), d, args)
			if err != nil {
				return err
			}
			defer draft.Remove()
			return b.edits(draft)
		},
	}
	voyageFlag(b, cmd, &voyage)
	return cmd
}

// draft copies a change, or the file that the second argument of openCmd names, for the captain's editor.
func (c change) draft(ctx context.Context, d fleet.Dir, args []string) (editor.Draft, error) {
	if len(args) > 1 {
		text, err := c.ReadFile(ctx, d, args[1])
		if err != nil {
			return editor.Draft{}, diffError(err)
		}
		return editor.NewDraft(path.Base(path.Clean(args[1])), text)
	}
	if c.IsEmpty() {
		return editor.Draft{}, newExitError(NotFound, "", "%s: nothing", clean.Line(c.Title))
	}
	draft, err := editor.NewPatch(ctx, d, c.Change, clean.Word(args[0]))
	return draft, diffError(err)
}

// edits runs the captain's editor on a draft, and returns when the editor ends.
func (b *bridge) edits(draft editor.Draft) error {
	cmd, err := b.editorOn(draft)
	if err != nil {
		return err
	}
	if err = cmd.Run(); err != nil {
		return fmt.Errorf("your editor failed: %w", err)
	}
	return nil
}

// editorOn returns a command that runs the captain's editor on a draft, on the captain's terminal.
func (b *bridge) editorOn(draft editor.Draft) (*exec.Cmd, error) {
	cmd, err := editor.Command(b.environ, draft.Path)
	if err != nil {
		return nil, usageError("%v", err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd, nil
}
