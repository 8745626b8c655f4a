package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/need"
	"ocaptain/ui/words"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/launch/places"
)

func statusCmd(b *bridge) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "status [VOYAGE]",
		Short: "Show how a voyage stands",
		Long: `Show a voyage's phase, its ships with what each of them does, how many tasks are done, and the merge queue: work that was
handed in and is not merged yet.

With several voyages and no name, all of them are listed. What needs you comes first: see ocaptain needs.`,
		Example: `ocaptain status
ocaptain status voyage-3f9a
ocaptain status --json | jq .phase`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, err := fleet.Voyages(b.hub.Voyages).List()
			if err != nil {
				return err
			}
			d, err := b.voyage(strings.Join(args, ""))
			if all || err != nil && len(args) == 0 && len(dirs) > 1 && !asJSON {
				if len(dirs) > 0 && !asJSON {
					fmt.Fprintln(b.out, words.FitWidth(theme.Dim.Render(clean.Line(words.Machines(places.CountMachines(cmd.Context(), b.hub).Providers))), b.width)+"\n")
				}
				return b.listVoyages(cmd.Context(), dirs, asJSON)
			}
			if err != nil {
				return err
			}
			v, err := b.read(cmd.Context(), d)
			if err != nil {
				return err
			}
			if asJSON {
				return errors.Join(printJSON(b.raw, v), v.staleError())
			}
			writeStatus(b.out, v, b.now(), b.width)
			v.printWarnings(b.out)
			return v.staleError()
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "list all voyages, also sunk ones")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[view](), reflect.TypeFor[[]view]())
	return cmd
}

// listVoyages shows the state of all these voyages.
func (b *bridge) listVoyages(ctx context.Context, dirs []fleet.Dir, asJSON bool) error {
	boards := []view{}
	var failed error
	for _, d := range dirs {
		v, err := b.read(ctx, d)
		if err != nil {
			return err
		}
		boards = append(boards, v)
		if v.Stale {
			failed = v.staleError()
			writeWarning(b.err, title(d)+": "+v.Why, 0)
		}
	}
	if asJSON {
		return errors.Join(printJSON(b.raw, boards), failed)
	}
	if all := needsIn(boards...); len(all) > 0 {
		writeNeeds(b.out, all, b.now(), b.width)
		fmt.Fprintln(b.out)
	}
	b.writeVoyages(boards)
	return failed
}

// writeVoyages prints a line for each voyage.
func (b *bridge) writeVoyages(boards []view) {
	if len(boards) == 0 {
		fmt.Fprintln(b.out, "There is no voyage. Start one with: ocaptain sail PLAN")
		return
	}
	t := table{heads: []string{"VOYAGE", "PLAN", "PHASE", "SHIPS", "TASKS", "STARTED"}, flex: 1}
	costs := slices.ContainsFunc(boards, func(v view) bool { return v.Usage.CostUSD > 0 })
	if costs {
		t.heads = append(t.heads, "COST")
	}
	for _, board := range boards {
		pending, working, completed := board.CountTasks()
		phase := theme.BoardState(&board.Board)
		word := phase.Word
		if board.Stale {
			word += " (old)"
		}
		cells := []cell{
			{board.Voyage.ID, theme.Title},
			{board.Voyage.Name, theme.Plain},
			{strings.TrimSpace(phase.Glyph + " " + word), phase.Style},
			{fmt.Sprint(len(board.Ships)), theme.Plain},
			{fmt.Sprintf("%d/%d", completed, pending+working+completed), theme.Plain},
			{words.Since(b.now(), board.Voyage.CreatedAt), theme.Dim},
		}
		if costs {
			cells = append(cells, cell{orWord(words.Dollars(board.Usage.CostUSD), "-"), theme.Dim})
		}
		t.add(cells...)
	}
	t.write(b.out, b.width)
}

// maxGoal is how many cells of the goal are shown.
const maxGoal = 240

// writeStatus prints one voyage.
func writeStatus(w io.Writer, is view, now time.Time, width int) {
	board, v := is.Board, is.Voyage
	writeNeeds(w, is.Needs, now, width)
	if len(is.Needs) > 0 {
		fmt.Fprintln(w)
	}
	phase := theme.BoardState(&board)
	head := theme.Title.Render(clean.Line(v.ID)) + "  " + phase.String()
	since := board.Since
	if paused := board.PausedSince(now); !paused.IsZero() {
		since = paused
	}
	if !since.IsZero() {
		head += theme.Dim.Render(" for " + words.Age(now.Sub(since)))
	}
	fmt.Fprintln(w, words.FitWidth(head, width))
	line := func(label, format string, args ...any) {
		fmt.Fprintln(w, words.FitWidth(theme.Dim.Render(fmt.Sprintf("%-7s", label))+" "+fmt.Sprintf(format, args...), width))
	}
	pool := v.PoolName() != ""
	switch {
	case pool:
		line("pool", "%s", clean.Line(v.Name))
	case v.Name != "":
		line("plan", "%s", clean.Line(v.Name))
	}
	if v.Prompt != "" && !pool {
		line("goal", "%s", words.FitWidth(clean.Line(v.Prompt), maxGoal))
	}
	repo := clean.Line(v.Repo)
	if repo == "" || repo == "none" {
		repo = "a fresh repository"
	}
	line("repo", "%s, branch %s%s", repo, clean.Line(v.Branch), atCommit(board.Head))
	line("tasks", "%s", taskCounts(board, now))
	if !pool {
		line("verify", "%s", verifyWord(board, now))
	}
	if board.Phase == fleet.Complete {
		line("take it", "%s", clean.Line(takeHome(&v)))
	}
	if used := words.UsageLine(board.Usage); used != "" {
		line("used", "%s", used)
	}

	if b := board.Budget; b.Max > 0 {
		line("budget", "%s", b)
	}
	if why := board.Paused(now); why != "" {
		line("ships", "%s", why)
	}
	if bill := words.Costs(board.Bill); bill != "" {
		line("ships", "%s", bill)
	}

	for _, text := range words.Indexes(board.Ships) {
		line("search", "%s", text)
	}

	if len(board.Ships) > 0 {
		fmt.Fprintln(w)
		writeShips(w, is, now, width)
	}
	writeQueue(w, is.Queue, now, width)
	writeNotes(w, board, now, width)
}

// writeQueue prints the work that was handed in and is not merged yet.
func writeQueue(w io.Writer, queue []fleet.Queued, now time.Time, width int) {
	if len(queue) == 0 {
		return
	}
	t := table{heads: []string{"TASK", "TITLE", "BY", "FOR", "STEP", "REVIEWER"}, flex: 1}
	for _, q := range queue {
		t.add(
			cell{q.Task, theme.Plain}, cell{q.Subject, theme.Plain}, cell{q.Owner, theme.ShipStyle(q.Owner)},
			cell{words.Age(now.Sub(q.HandedIn)), theme.Dim}, cell{stepText(q), theme.Review(q.Step).Style}, cell{orWord(q.Reviewer, "-"), theme.ShipStyle(q.Reviewer)},
		)
	}
	fmt.Fprintln(w, "\n"+theme.Title.Render("Merge queue"))
	t.write(w, width)
}

// stepText says where work is in the merge queue, and what it waits for.
func stepText(q fleet.Queued) string {
	look := theme.Review(q.Step)
	text := look.Glyph + " " + look.Word
	if q.Step == fleet.StepWaits && q.Checked {
		text += " for a validator"
	}
	return text
}

// writeShips prints the ships.
func writeShips(w io.Writer, is view, now time.Time, width int) {
	board := is.Board
	names := subjects(board.Tasks)
	t := table{heads: []string{"SHIP", "STATUS", "FOR", "WHAT", "DONE", "UNMERGED"}, flex: 3}
	mixed := fleet.FromSeveral(board.Ships)
	if mixed {
		t.heads, t.flex = slices.Insert(t.heads, 1, "FROM"), t.flex+1
	}
	const roomy = 100
	costs := (width == 0 || width >= roomy) && board.Usage.Messages > 0
	if costs {
		t.heads = append(t.heads, "TURN", "TOKENS", "COST")
	}
	ages := width == 0 || width >= roomy || slices.ContainsFunc(board.Ships, func(s fleet.ShipView) bool { return s.Costs })
	if ages {
		t.heads = append(t.heads, "AGE", "IDLE")
	}
	for _, s := range board.Ships {
		look := theme.Status(s.Status.Word)
		if slices.ContainsFunc(is.Needs, func(n need.Need) bool { return slices.Contains(n.Ships, s.Name) && n.Kind != fleet.NeedCost }) {
			look = look.Needing()
		}
		lasted := "-"
		if !s.Status.Since.IsZero() {
			lasted = words.Age(now.Sub(s.Status.Since))
		}
		cells := []cell{
			{s.Name, theme.ShipStyle(s.Name)},
			{look.Glyph + " " + look.Word, look.Style},
			{lasted, theme.Dim},
			{shipSummary(s, names), theme.Plain},
			{fmt.Sprint(s.Completed), theme.Plain},
			{orWord(words.Unmerged(s.Unmerged), "-"), theme.Plain},
		}
		if mixed {
			cells = slices.Insert(cells, 1, cell{s.Provider, theme.Dim})
		}
		if costs {
			turn := ""
			if s.Turn > 0 {
				turn = words.Turns(&s)
			}
			cells = append(cells, cell{orWord(turn, "-"), theme.Dim}, cell{orWord(words.Tokens(s.Usage.Tokens), "-"), theme.Dim}, cell{orWord(words.Dollars(s.Usage.CostUSD), "-"), theme.Dim})
		}
		if ages {
			cells = append(cells, cell{orWord(words.ShipAge(now, &s), "-"), theme.Dim}, cell{orWord(words.RestTime(&s), "-"), theme.Dim})
		}
		t.add(cells...)
	}
	t.write(w, width)
	for _, open := range openShips(board.Ships) {
		writeWarning(w, open, width)
	}
	for _, s := range board.Ships {
		if slow := words.Slowed(&s); slow != "" {
			writeWarning(w, s.Name+": "+slow, width)
		}
		if s.Queued > 0 {
			fmt.Fprintln(w, words.FitWidth(theme.Dim.Render(clean.Line(s.Name+": "+words.Queued(&s))), width))
		}
	}
}

// openShips names the ships on which checks reach things that they should not.
func openShips(ships []fleet.ShipView) (all []string) {
	names := map[string][]string{}
	for _, s := range ships {
		if s.Open != "" {
			names[s.Open] = append(names[s.Open], s.Name)
		}
	}
	for _, open := range slices.Sorted(maps.Keys(names)) {
		all = append(all, "what checks run on "+words.Few(names[open])+" reaches "+open+": see ocaptain help trust")
	}
	return all
}

// shipSummary says why a ship does not work, or else what it does.
func shipSummary(s fleet.ShipView, names map[string]string) string {
	doing := strings.TrimSpace(s.Task + " " + names[s.Task])
	why := s.Status.Reason
	switch {
	case s.Task == "":
		doing = why
	case why == "":
	case s.Status.Word == fleet.Working:
		doing += ": " + why
	default:
		doing = why + ", for task " + s.Task
	}
	return orWord(doing, "-")
}

// writeNotes prints the notes to the captain, the newest last.
func writeNotes(w io.Writer, board fleet.Board, now time.Time, width int) {
	const most = 5
	notes := board.Notes[max(0, len(board.Notes)-most):]
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, n := range notes {
		who := n.Ship
		if n.Task != "" {
			who = strings.TrimSpace(who + " task " + n.Task)
		}
		if who != "" {
			who = clean.Line(who) + ": "
		}
		fmt.Fprintln(w, words.FitWidth(theme.Dim.Render(fmt.Sprintf("%-10s", words.Since(now, n.At)))+" "+who+clean.Line(n.Text), width))
	}
}

// verifyWord says how the verification stands.
func verifyWord(board fleet.Board, now time.Time) string {
	r := board.Verify
	switch {
	case board.Phase == fleet.Verifying:
		return theme.PhaseState(fleet.Verifying).String()
	case r.Runs == 0:
		return "not run yet"
	case r.Passed && board.Voyage.Unchecked:
		return "nothing to run: no command was given with --verify" + atCommit(r.Commit)
	case r.Passed:
		return theme.Good.Render(theme.Yes.Glyph+" passed") + atCommit(r.Commit) + ", " + words.Since(now, r.At)
	}
	text := theme.Bad.Render(theme.No.Glyph+" failed") + atCommit(r.Commit) + ", " + words.Since(now, r.At)
	if last := r.LastLine(); last != "" {
		text += ": " + clean.Line(last)
	}
	return text
}

// atCommit returns the end of a phrase that names a commit.
func atCommit(commit string) string {
	if commit == "" {
		return ""
	}
	return " at " + clean.Line(words.ShortCommit(commit))
}

func orWord(s, word string) string {
	if s == "" {
		return word
	}
	return s
}

// taskCounts says how many tasks are in each status, and which are on hold.
func taskCounts(board fleet.Board, now time.Time) string {
	var n fleet.Tally
	open, held := blockers(board.Tasks), []string(nil)
	for i := range board.Tasks {
		t := &board.Tasks[i]
		is := fleet.Stand(t, len(open[t.ID]) > 0, now)
		if n[is]++; is == fleet.TaskOnHold {
			held = append(held, t.ID)
		}
	}
	text := fmt.Sprintf("%d completed", n[fleet.TaskDone])
	for _, is := range []fleet.Standing{fleet.TaskCancelled, fleet.TaskInReview, fleet.TaskWorking, fleet.TaskReady, fleet.TaskBlocked, fleet.TaskDelayed} {
		if n[is] > 0 || is == fleet.TaskWorking || is == fleet.TaskReady || is == fleet.TaskBlocked {
			text += fmt.Sprintf(", %d %s", n[is], is)
		}
	}
	if len(held) > 0 {
		text += fmt.Sprintf(", %d on hold: %s", len(held), clean.Line(joinFew(held)))
	}
	return text
}
