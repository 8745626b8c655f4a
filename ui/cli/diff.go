package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/clean"
)

func diffCmd(b *bridge) *cobra.Command {
	var voyage string
	var raw, asJSON bool
	cmd := &cobra.Command{
		Use:   "diff [SHIP|TASK]",
		Short: "Show what a ship is changing, what a task changed, or all of it",
		Long: `Show a ship's work that is not merged yet, as of its newest snapshot, or what a completed task changed, or, without
an argument, everything that the voyage has changed.

What ships write may hold escape sequences, so the text is cleaned; use --raw to feed it to git apply.`,
		Example: `ocaptain diff
ocaptain diff ship-1
ocaptain diff 7
ocaptain diff ship-1 --raw | git apply`,
		Args:              nargs("[SHIP|TASK]"),
		ValidArgsFunction: b.completeShips(&voyage),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := b.voyage(voyage)
			if err != nil {
				return err
			}
			board, err := fleet.ReadBoard(d)
			if err != nil {
				return err
			}
			c, err := findChange(cmd.Context(), d, board, strings.Join(args, ""))
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				return c.writeJSON(cmd.Context(), b.raw, d)
			case c.Base == c.Head:
				fmt.Fprintf(b.err, "%s changes nothing.\n", c.Title)
				return nil
			case raw:
				return c.patch(cmd.Context(), d, b.raw)
			}
			fmt.Fprintln(b.out, theme.Title.Render(clean.Line(c.Title)))
			return c.write(cmd.Context(), d, b.out)
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().BoolVar(&raw, "raw", false, "the patch byte by byte, as ships wrote it")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// change is two commits and what lies between them.
type change struct {
	Title string       `json:"title"`
	Base  string       `json:"base"`
	Head  string       `json:"head"`
	Files []fileChange `json:"files"`
	Patch string       `json:"patch"`
}

// fileChange is how much of a file changed; -1 for a binary file.
type fileChange struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// findChange finds the commits that a ship, a task or the whole voyage stands for.
func findChange(ctx context.Context, d fleet.Dir, board fleet.Board, name string) (change, error) {
	if name == "" {
		c := change{Title: "voyage " + d.ID(), Base: board.Voyage.Base}
		var err error
		if c.Head, err = commitOf(ctx, d, "refs/heads/"+board.Voyage.Branch); err == nil && c.Base == "" {
			c.Base, err = emptyTree(ctx, d)
		}
		return c, err
	}
	for i := range board.Ships {
		if s := &board.Ships[i]; s.Name == name {
			return shipChange(ctx, d, board, s)
		}
	}
	for i := range board.Tasks {
		if t := &board.Tasks[i]; t.ID == name {
			return taskChange(ctx, d, t)
		}
	}
	return change{}, fail(NotFound, "see: ocaptain status, ocaptain tasks", "voyage %s has neither a ship nor a task called %q", d.ID(), name)
}

// shipChange is the ship's live tree against the branch commit that it grew from.
func shipChange(ctx context.Context, d fleet.Dir, board fleet.Board, s *fleet.ShipView) (change, error) {
	live, err := commitOf(ctx, d, "refs/ocaptain/live/"+s.Name)
	if err != nil {
		return change{}, fail(NotFound, "", "there is no snapshot of %s yet", s.Name)
	}
	base, err := gitOutput(ctx, d.Workspace(), "merge-base", live, "refs/heads/"+board.Voyage.Branch)
	if err != nil {
		return change{}, fmt.Errorf("where %s began: %w", s.Name, err)
	}
	if same, err := gitOutput(ctx, d.Workspace(), "rev-parse", live+"^{tree}", base+"^{tree}"); err == nil {
		if a, b, _ := strings.Cut(same, "\n"); a == b {
			base = live
		}
	}
	return change{Title: s.Name + ", not merged yet", Base: base, Head: live}, nil
}

// taskChange is the commit that a completed task became.
func taskChange(ctx context.Context, d fleet.Dir, t *tasks.State) (change, error) {
	if t.Status != tasks.Completed {
		advice := ""
		if t.Owner != "" {
			advice = "see what its ship is changing: ocaptain diff " + t.Owner
		}
		return change{}, fail(NotFound, advice, "task %s is not completed", t.ID)
	}
	c := change{Title: fmt.Sprintf("task %s by %s: %s", t.ID, orWord(t.Owner, "nobody"), t.Subject), Base: t.Commit, Head: t.Commit}
	if t.Commit == "" {
		return c, nil
	}
	head, err := commitOf(ctx, d, t.Commit)
	if err != nil {
		return change{}, err
	}
	// A task that changed nothing names the commit that it found.
	mark, err := gitOutput(ctx, d.Workspace(), "log", "-1", "--format=%(trailers:key=Ocaptain-Task,valueonly)", head)
	if err != nil || strings.TrimSpace(mark) != t.ID {
		return c, err
	}
	c.Base, c.Head = head+"^", head
	return c, nil
}

// commitOf resolves a name of a commit; what it is given never looks like an option to git.
func commitOf(ctx context.Context, d fleet.Dir, name string) (string, error) {
	return gitOutput(ctx, d.Workspace(), "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
}

func emptyTree(ctx context.Context, d fleet.Dir) (string, error) {
	return gitOutput(ctx, d.Workspace(), "hash-object", "-t", "tree", "/dev/null")
}

// args is the git command that compares the two commits.
func (c change) args(more ...string) []string {
	return append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules"}, append(more, "--end-of-options", c.Base, c.Head, "--")...)
}

// patch writes the change as git does.
func (c change) patch(ctx context.Context, d fleet.Dir, w io.Writer) error {
	cmd := git(ctx, d.Workspace(), c.args("--binary")...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &said
	if err := cmd.Run(); err != nil {
		return gitError(ctx, "diff", said.String(), err)
	}
	return nil
}

// write shows the change, clean and in colour.
func (c change) write(ctx context.Context, d fleet.Dir, w io.Writer) error {
	cmd := git(ctx, d.Workspace(), c.args("--find-renames", "--stat=80", "--patch")...)
	var said bytes.Buffer
	cmd.Stderr = &said
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return gitError(ctx, "diff", said.String(), err)
	}
	out := bufio.NewWriter(w)
	lines := bufio.NewReaderSize(pipe, 64<<10)
	for {
		line, err := readLine(lines)
		if err != nil {
			break
		}
		fmt.Fprintln(out, diffLine(clean.Text(strings.TrimRight(string(line), "\r\n"))))
	}
	flushed := out.Flush()
	_, _ = io.Copy(io.Discard, pipe)
	if err := cmd.Wait(); err != nil && flushed == nil {
		return gitError(ctx, "diff", said.String(), err)
	}
	return flushed
}

// diffLine colours a line of a patch by what it begins with.
func diffLine(line string) string {
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
		return theme.Title.Render(line)
	case strings.HasPrefix(line, "@@"):
		return theme.Hunk.Render(line)
	case strings.HasPrefix(line, "+"):
		return theme.Added.Render(line)
	case strings.HasPrefix(line, "-"):
		return theme.Removed.Render(line)
	}
	return line
}

// longestPatch bounds the patch in JSON, in bytes.
const longestPatch = 64 << 20

// writeJSON prints the change with its files and the patch.
func (c change) writeJSON(ctx context.Context, w io.Writer, d fleet.Dir) error {
	c.Files = []fileChange{}
	if c.Base != c.Head {
		stat, err := gitOutput(ctx, d.Workspace(), c.args("--numstat", "-z", "--no-renames")...)
		if err != nil {
			return err
		}
		for _, record := range strings.Split(strings.TrimSuffix(stat, "\x00"), "\x00") {
			if f := strings.SplitN(record, "\t", 3); len(f) == 3 {
				c.Files = append(c.Files, fileChange{f[2], number(f[0]), number(f[1])})
			}
		}
		var patch bounded
		if err := c.patch(ctx, d, &patch); err != nil {
			return err
		}
		c.Patch = patch.String()
	}
	return printJSON(w, c)
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// bounded keeps at most longestPatch bytes.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > longestPatch {
		return 0, errors.New("the patch is too large for JSON; use --raw")
	}
	return b.Buffer.Write(p)
}
