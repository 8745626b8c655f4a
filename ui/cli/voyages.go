package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/archive"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/logs"
	"ocaptain/ui/words"
)

func voyagesCmd(b *bridge) *cobra.Command {
	var all, asJSON bool
	var since time.Duration
	var search string
	cmd := &cobra.Command{
		Use:   "voyages",
		Short: "List voyages with their result, cost and disk; find one by its words; archive or remove it",
		Long: `List voyages, the newest last: those that sail, and with --all those that are sunk or archived, too. --search finds the voyages that have all of the
words in their name, their goal, a task or a line of their logs, and shows these tasks and lines.`,
		Example: `ocaptain voyages --all --since 720h
ocaptain voyages --search "login page"
ocaptain voyages archive add-auth`,
		Args: wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := b.pastVoyages(cmd.Context(), all || search != "", since, strings.Fields(strings.ToLower(search)))
			if err != nil {
				return err
			}
			if all {
				list = append(b.archived(since), list...)
			}
			if asJSON {
				return printJSON(b.raw, list)
			}
			b.writePast(list)
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&all, "all", "a", false, "sunk voyages as well")
	f.DurationVar(&since, "since", 0, "only voyages that began within this time, like 168h")
	f.StringVarP(&search, "search", "s", "", "only voyages with these words")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[[]pastVoyage]())
	cmd.AddCommand(voyagesArchiveCmd(b), voyagesRestoreCmd(b), voyagesRmCmd(b))
	return cmd
}

// pastVoyage is a line of the list.
type pastVoyage struct {
	ID        string      `json:"id"`
	Name      string      `json:"name,omitempty"`
	Kind      fleet.Kind  `json:"kind"`
	Goal      string      `json:"goal,omitempty"`
	Began     time.Time   `json:"began"`
	Phase     fleet.Phase `json:"phase"`
	Passed    bool        `json:"passed"` // the verification passed
	Completed int         `json:"completed"`
	Tasks     int         `json:"tasks"`
	CostUSD   float64     `json:"costUSD"`
	Disk      int64       `json:"disk"`              // bytes on disk
	Archive   string      `json:"archive,omitempty"` // path of the archive, "" for a voyage that is not archived
	Found     []string    `json:"found,omitempty"`   // tasks that have all the words searched for
	Logged    []string    `json:"logged,omitempty"`  // the first lines of the logs that have all the words

	look theme.State
}

// pastVoyages lists the voyages that the flags select.
func (b *bridge) pastVoyages(ctx context.Context, all bool, since time.Duration, search []string) ([]pastVoyage, error) {
	dirs, err := fleet.Voyages(b.hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	list := []pastVoyage{}
	for _, d := range dirs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		board, err := fleet.ReadBoard(d)
		if err != nil {
			board = fleet.Board{Voyage: fleet.Voyage{ID: d.ID(), Prompt: "cannot be read: " + err.Error()}}
		}
		if !all && board.Phase == fleet.Sunk || since > 0 && b.now().Sub(board.Voyage.CreatedAt) > since {
			continue
		}
		found, has := finds(&board, search)
		logged, err := findLogged(ctx, d, search)
		if err != nil {
			return nil, err
		}
		if !has && len(logged) == 0 {
			continue
		}
		pending, working, completed := board.CountTasks()
		list = append(list, pastVoyage{
			ID: d.ID(), Name: board.Voyage.Name, Kind: board.Voyage.Kind, Goal: board.Voyage.Prompt, Began: board.Voyage.CreatedAt, Phase: board.Phase,
			Passed: board.Verify.Passed, Completed: completed, Tasks: pending + working + completed, CostUSD: board.Usage.CostUSD, Disk: archive.Size(string(d)),
			Found: found, Logged: logged, look: theme.BoardState(&board),
		})
	}
	return list, nil
}

// archived lists the archived voyages.
func (b *bridge) archived(since time.Duration) (list []pastVoyage) {
	for _, k := range archive.List(fleet.Voyages(b.hub.Voyages)) {
		if v := k.Voyage; since == 0 || b.now().Sub(v.CreatedAt) <= since {
			list = append(list, pastVoyage{
				ID: v.ID, Name: v.Name, Kind: v.Kind, Goal: v.Prompt, Began: v.CreatedAt, Phase: fleet.Sunk, Disk: k.Size, Archive: k.File,
				look: theme.State{Word: "archived", Style: theme.Dim},
			})
		}
	}
	return list
}

// finds lists the tasks of a voyage that have all the words. has reports whether these tasks or the voyage's name or goal have
// them.
func finds(board *fleet.Board, words []string) (found []string, has bool) {
	if len(words) == 0 {
		return nil, true
	}
	for i := range board.Tasks {
		if t := &board.Tasks[i]; hasAll(t.Subject+" "+t.Description, words) {
			found = append(found, clean.Line(t.ID+" "+t.Subject))
		}
	}
	return found, len(found) > 0 || hasAll(board.Voyage.Name+" "+board.Voyage.Prompt, words)
}

// hasAll reports whether a text has all the words, which are in lower case.
func hasAll(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// errEnough ends a search that has found as many lines as are shown.
var errEnough = errors.New("enough was found")

// findLogged returns the first lines of a voyage's logs that have all the words, maxFound at most. It skips logs that cannot be
// read.
func findLogged(ctx context.Context, d fleet.Dir, words []string) (found []string, err error) {
	if len(words) == 0 {
		return nil, nil
	}
	q := logs.Query{Keep: func(l logs.Line) bool { return hasAll(l.WithoutTime(), words) }}
	_, err = logs.ShowExisting(ctx, d, q, -1, func(l logs.Line) error {
		if found = append(found, clean.Line(l.PlainText())); len(found) == maxFound {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) || errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return found, err
}

// maxFound is how many tasks and how many lines of logs are shown of one voyage.
const maxFound = 5

func (b *bridge) writePast(list []pastVoyage) {
	if len(list) == 0 {
		fmt.Fprintln(b.out, "No voyages; --all lists sunk voyages as well")
		return
	}
	t := table{heads: []string{"VOYAGE", "NAME", "KIND", "BEGAN", "RESULT", "TASKS", "COST", "DISK"}, flex: 1}
	for _, v := range list {
		result := v.look
		if v.Phase == fleet.Sunk && v.Passed && v.Completed == v.Tasks {
			result = theme.PhaseState(fleet.Complete)
		}
		done := fmt.Sprintf("%d/%d", v.Completed, v.Tasks)
		if v.Archive != "" {
			done = "-"
		}
		t.add(cell{v.ID, theme.Title}, cell{orWord(v.Name, v.Goal), theme.Plain}, cell{orWord(string(v.Kind), "plan"), theme.Plain}, cell{words.Since(b.now(), v.Began), theme.Dim},
			cell{strings.TrimSpace(result.Glyph + " " + result.Word), result.Style}, cell{done, theme.Plain},
			cell{orWord(words.Dollars(v.CostUSD), "-"), theme.Dim}, cell{words.Amount(v.Disk) + "B", theme.Dim})
	}
	t.write(b.out, b.width)
	for _, v := range list {
		for i, task := range v.Found {
			if i == maxFound {
				fmt.Fprintf(b.out, "%s: %d more\n", v.ID, len(v.Found)-i)
				break
			}
			fmt.Fprintln(b.out, words.FitWidth(v.ID+": task "+task, b.width))
		}
		for _, line := range v.Logged {
			fmt.Fprintln(b.out, words.FitWidth(v.ID+": "+line, b.width))
		}
	}
}

// sunkVoyage finds a voyage, and fails unless the voyage is sunk.
func (b *bridge) sunkVoyage(name string) (fleet.Dir, fleet.Board, error) {
	d, err := fleet.Voyages(b.hub.Voyages).Find(name)
	if err != nil {
		return "", fleet.Board{}, err
	}
	board, err := fleet.ReadBoard(d)
	if err != nil {
		return "", fleet.Board{}, err
	}
	if board.Phase != fleet.Sunk {
		return "", fleet.Board{}, newExitError(Refused, "sink it first: ocaptain sink "+d.ID(), "voyage %s is not sunk", title(d))
	}
	return d, board, nil
}

func voyagesArchiveCmd(b *bridge) *cobra.Command {
	var file string
	var remove, force bool
	cmd := &cobra.Command{
		Use:   "archive VOYAGE",
		Short: "Write all of a sunk voyage to one file",
		Long: `Write all that there is of a sunk voyage to one file: tasks, journal, logs, artifacts, and its repository with what was not merged. With
--rm the voyage is removed here then. ocaptain voyages restore brings it back.`,
		Example:           `ocaptain voyages archive add-auth --rm`,
		Args:              wantArgs("VOYAGE"),
		Annotations:       map[string]string{goesOut: "all of the voyage, to a file on this machine; no secrets"},
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, board, err := b.sunkVoyage(args[0])
			if err != nil {
				return err
			}
			if file == "" {
				file = filepath.Join(b.cwd, archive.Name(d))
			}
			size, err := archive.WriteFile(cmd.Context(), d, file)
			if errors.Is(err, fs.ErrExist) {
				return newExitError(Refused, "name another file with: --file FILE", "%s is there already", clean.Line(file))
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(b.out, clean.Line(file+" holds "+title(d)+", "+words.Amount(size)+"B"))
			if !remove {
				return nil
			}
			return b.removeVoyage(cmd.Context(), d, &board, force)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "o", "", "the file (default VOYAGE.tar.gz here)")
	cmd.Flags().BoolVar(&remove, "rm", false, "remove the voyage here then")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask before it is removed")
	return cmd
}

func voyagesRestoreCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE|VOYAGE",
		Short: "Bring an archived voyage back",
		Long:  `Bring a voyage back from an archive: from a file, or from an archive that helm made and that voyages --all lists.`,
		Example: `ocaptain voyages restore voyage-3f9a1b2c4d5e.tar.gz
ocaptain voyages restore add-auth`,
		Args: wantArgs("FILE|VOYAGE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			all := fleet.Voyages(b.hub.Voyages)
			file, kept := keptArchive(all, args[0])
			d, err := restoreVoyage(cmd.Context(), all, file)
			if err == nil && kept { // helm archives the voyage again some day
				err = os.Remove(file)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(b.out, title(d)+" is back; look at it with: ocaptain status "+d.ID())
			return nil
		},
	}
}

// keptArchive returns the file of an archive that the captain names. kept says that helm made the archive; then named is the name
// or the id of its voyage.
func keptArchive(all fleet.Voyages, named string) (file string, kept bool) {
	if _, err := os.Stat(named); err == nil {
		return named, false
	}
	for _, k := range archive.List(all) {
		if k.Voyage.ID == named || k.Voyage.Name == named {
			return k.File, true
		}
	}
	return named, false
}

// restoreVoyage restores a voyage from an archive.
func restoreVoyage(ctx context.Context, all fleet.Voyages, file string) (fleet.Dir, error) {
	in, err := os.Open(file)
	if err != nil {
		return "", newExitError(NotFound, "", "%w", err)
	}
	defer in.Close()
	v, err := archive.Open(in)
	if err == nil {
		_, err = in.Seek(0, 0)
	}
	if err != nil {
		return "", newExitError(Refused, "", "%s: %w", clean.Line(file), err)
	}
	d, err := archive.Read(ctx, in, all, v.ID)
	if err != nil {
		return "", newExitError(Refused, "", "%w", err)
	}
	return d, nil
}

func voyagesRmCmd(b *bridge) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:               "rm VOYAGE",
		Short:             "Remove all that this machine has of a sunk voyage",
		Long:              `Remove a sunk voyage from this machine: what is lost with it is shown first. Its work stays where you took or pushed it.`,
		Args:              wantArgs("VOYAGE"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, board, err := b.sunkVoyage(args[0])
			if err != nil {
				return err
			}
			return b.removeVoyage(cmd.Context(), d, &board, force)
		},
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask")
	return cmd
}

// removeVoyage lists what is lost with a voyage, asks the captain, and has helm remove the voyage.
func (b *bridge) removeVoyage(ctx context.Context, d fleet.Dir, board *fleet.Board, force bool) error {
	name := title(d)
	if err := b.confirm(ctx, "remove "+name, goneWith(ctx, d, board), d.ID(), force); err != nil {
		return err
	}
	client, err := b.connectHelm(ctx)
	if err != nil {
		return err
	}
	if err := client.RemoveVoyage(ctx, d.ID()); err != nil {
		return err
	}
	fmt.Fprintln(b.out, name+" is removed")
	return nil
}

// goneWith lists what is lost with a voyage.
func goneWith(ctx context.Context, d fleet.Dir, board *fleet.Board) (lines []string) {
	merged := 0
	for i := range board.Tasks {
		if t := &board.Tasks[i]; t.Status == tasks.Completed && t.Commit != "" {
			merged++
		}
	}
	lines = append(lines, fmt.Sprintf("%s, %s and their journal and logs: %s", clean.Line(orWord(board.Voyage.Name, d.ID())), words.Counted(len(board.Tasks), "task"), words.Amount(archive.Size(string(d)))+"B"))
	if merged > 0 {
		lines = append(lines, fmt.Sprintf("the work of %s, unless you took or pushed it: %s", words.Counted(merged, "task"), takeHome(&board.Voyage)))
	}
	refs, err := gitOutput(ctx, d.Workspace(), "for-each-ref", "--format=%(refname)", "refs/ocaptain/parked/")
	if n := len(strings.Fields(refs)); err == nil && n > 0 {
		lines = append(lines, "work that was put aside and never merged: "+words.Counted(n, "piece"))
	}
	return append(lines, "to keep all of it in one file instead: ocaptain voyages archive "+d.ID()+" --rm")
}
