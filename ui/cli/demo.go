package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/follow"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/mix"
	"ocaptain/fleet/need"
	"ocaptain/fleet/provider/registry"
	"ocaptain/tasks"
	"ocaptain/tasks/planfile"
	"ocaptain/theme"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/repository"
	"ocaptain/ui/words"
)

// demoPlan is the plan of the demonstration.
const demoPlan = "example:harbor"

func demoCmd(b *bridge) *cobra.Command {
	ships := 3
	var keep, pool, session bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See a whole voyage on this machine, without any account",
		Long: `Sail the plan ` + demoPlan + ` in a temporary home, on ships on this machine, with an agent that runs commands instead of
a model. The exit code is 0 only when every task was completed by exactly one accepted claim and the verification
passed. Afterwards nothing is left, unless --keep is given.

With --pool, five commands are dispatched to two workers instead, and each must end on a branch of its own. With --session,
a planner breaks down what is asked for, and three workers bring it to a branch.`,
		Example: `ocaptain demo
ocaptain demo --pool
ocaptain demo --session
ocaptain demo --ships 5 --keep`,
		Args: wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ships < 1 || ships > 20 {
				return usageError("--ships is %d; give a number from 1 to 20", ships)
			}
			c, err := b.config(cmd)
			if err != nil {
				return err
			}
			return b.demonstrate(cmd.Context(), keep, func(home string) error {
				switch {
				case pool:
					return b.demonstratePool(cmd.Context(), home)
				case session:
					return b.demonstrateSession(cmd.Context(), c, home)
				}
				return b.demonstratePlan(cmd.Context(), c, ships)
			})
		},
	}
	cmd.Flags().IntVarP(&ships, "ships", "n", 3, "how many ships")
	cmd.Flags().BoolVar(&pool, "pool", false, "see a pool of two workers instead")
	cmd.Flags().BoolVar(&session, "session", false, "see a session of a planner and three workers instead")
	cmd.MarkFlagsMutuallyExclusive("ships", "pool", "session")
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the voyage, its ships and its home as they are at the end")
	return cmd
}

// demonstrate runs a demonstration in a temporary home and cleans up, however it ends.
func (b *bridge) demonstrate(ctx context.Context, keep bool, run func(home string) error) (err error) {
	home, err := os.MkdirTemp("/tmp", "ocaptain-demo-") // a short path, for sockets
	if err != nil {
		return err
	}
	if err := errors.Join(os.Setenv("OCAPTAIN_HOME", home), os.Setenv("XDG_CACHE_HOME", filepath.Dir(b.hub.Cache))); err != nil { // for helm, which is another process
		return err
	}
	if b.hub, err = fleet.FindHub(); err != nil {
		return err
	}
	defer func() {
		if keep && ctx.Err() == nil {
			fmt.Fprintf(b.out, "\nAll of it is kept in %s. To look at it, and to end it:\n  export OCAPTAIN_HOME=%s\n  ocaptain\n  %s\n", home, home, endsDemo(home))
			return
		}
		failed := b.clearAway(ctx, home)
		if failed != nil && ctx.Err() != nil { // after ctrl-c, main prints no error of the command
			printError(b.err, failed)
			failed = nil
		}
		err = errors.Join(err, failed)
	}()
	return run(home)
}

// endsDemo returns the commands that end a demonstration whose home is OCAPTAIN_HOME.
func endsDemo(home string) string {
	return "ocaptain sink --all -f && ocaptain helm stop && rm -r " + home
}

// demonstratePlan sails the plan of the demonstration.
func (b *bridge) demonstratePlan(ctx context.Context, c config.Config, ships int) error {
	script, err := agent.Lookup("script")
	if err != nil {
		return err
	}
	plan, defects := planfile.Open(demoPlan)
	if err := defects.Err(); err != nil {
		return err
	}
	began := time.Now()
	d, err := b.startVoyage(ctx, &launch.Order{
		Plan: plan, Work: repository.Work{Repo: tasks.Repo{Kind: tasks.RepoFresh}}, Ships: ships, Mix: mix.Mix{{Provider: registry.Here().Name}}, Agent: script, Unconfined: true,
	})
	if err != nil {
		return err
	}
	board, err := b.seeItEnd(ctx, c, d)
	if err != nil {
		return err
	}
	return b.printSummary(d, board, board.Since.Sub(began)) // Since, as the dashboard may have stayed open longer
}

// closing is how long the dashboard of a demonstration stays open at the end when no key was pressed.
const closing = 15 * time.Second

// seeItEnd shows the voyage until it is over: in the dashboard on a terminal, otherwise line by line.
func (b *bridge) seeItEnd(ctx context.Context, c config.Config, d fleet.Dir) (fleet.Board, error) {
	if b.screen {
		if err := b.dashboard(ctx, c, d, closing, nil); err != nil {
			return fleet.Board{}, err
		}
		if board, err := fleet.ReadBoard(d); err != nil || board.Phase.IsOver() {
			return board, err
		}
		fmt.Fprintln(b.out, "The voyage goes on; ctrl-c ends it.")
	}
	return b.printUntil(ctx, d, func(board *fleet.Board) bool { return board.Phase.IsOver() })
}

// printUntil prints what happens in a voyage and what it needs, line by line, until it is over. It returns the last board.
func (b *bridge) printUntil(ctx context.Context, d fleet.Dir, over func(*fleet.Board) bool) (last fleet.Board, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	boards, ended := make(chan fleet.Board), make(chan error, 1)
	go func() {
		ended <- follow.Board(ctx, d, func(board fleet.Board) error {
			select {
			case boards <- board:
			case <-ctx.Done():
			}
			return ctx.Err()
		})
	}()
	tick := time.NewTicker(glance) // needs come up as time passes, without a new board
	defer tick.Stop()
	for told := (toldNeeds{}); ; {
		select {
		case board := <-boards:
			for _, line := range boardChanges(last, board) {
				fmt.Fprintln(b.out, line)
			}
			if last = board; over(&last) {
				return last, nil
			}
		case <-tick.C:
			if now := b.now(); !last.At.IsZero() {
				writeNeeds(b.out, told.news(need.All(now, &last, need.Away{}), now), now, b.width)
			}
		case err = <-ended:
			return last, err
		}
	}
}

// boardChanges describes what changed between two boards, a line for each change.
func boardChanges(was, is fleet.Board) []string {
	var lines []string
	before := map[string]string{}
	for i := range was.Tasks {
		before[was.Tasks[i].ID] = stepOf(&was.Tasks[i])
	}
	_, _, done := was.CountTasks()
	for i := range is.Tasks {
		t := &is.Tasks[i]
		step := stepOf(t)
		if step == before[t.ID] {
			continue
		}
		does := func(owner, verb string, more string) {
			look := theme.Going
			if step == stepDone {
				look = theme.Yes
			}
			lines = append(lines, fmt.Sprintf("%s %s %-9s %2s %s%s", look.Style.Render(look.Glyph), theme.ShipStyle(owner).Render(clean.Line(owner)), verb, clean.Line(t.ID), clean.Line(t.Subject), more))
		}
		stops := func(look theme.State, how string) {
			lines = append(lines, fmt.Sprintf("%s task %s %s: %s", look.Style.Render(look.Glyph), clean.Line(t.ID), how, clean.Line(t.Reason)))
		}
		switch {
		case step == stepReview || step == stepWork:
			does(t.Owner, step, "")
		case step == stepHandIn:
			does(t.HandIn.Owner, step, "")
		case step == stepApproved:
			does(t.HandIn.Review.By, step, "")
		case step == stepDone:
			done++
			does(t.Owner, step, fmt.Sprintf(" (%d/%d)", done, len(is.Tasks)))
		case t.OnHold:
			stops(theme.Task(fleet.TaskOnHold), "is on hold")
		case t.Draft != "":
			stops(theme.Warn, "goes back to "+clean.Line(t.ReservedFor))
		case before[t.ID] != "":
			stops(theme.Warn, "is pending again")
		}
	}
	if was.Phase != is.Phase && was.Phase != "" {
		lines = append(lines, theme.BoardState(&is).String())
	}
	return lines
}

// The steps of a task.
const (
	stepWork     = "claims"
	stepHandIn   = "hands in"
	stepReview   = "reviews"
	stepApproved = "approves"
	stepDone     = "completes"
)

// stepOf returns the step that a task has reached.
func stepOf(t *tasks.State) string {
	switch {
	case t.Status == tasks.Completed:
		return stepDone
	case t.Approved():
		return stepApproved
	case t.InReview() && t.Status == tasks.InProgress:
		return stepReview
	case t.InReview():
		return stepHandIn
	case t.Status == tasks.InProgress:
		return stepWork
	}
	return string(t.Status) + fmt.Sprint(t.OnHold)
}

// clearAway sinks all ships, stops helm and removes the home. If helm cannot sink a ship, clearAway lets helm run, which tries again.
func (b *bridge) clearAway(ctx context.Context, home string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	dirs, err := b.toSink("", true)
	if err == nil && len(dirs) > 0 {
		var client *api.Client
		if client, err = b.connectHelm(ctx); err == nil {
			for _, d := range dirs {
				err = errors.Join(err, client.Sink(ctx, d.ID(), nil))
			}
		}
	}
	if err == nil {
		err = supervise.Stop(ctx, b.hub)
	}
	if err == nil {
		err = errors.Join(os.RemoveAll(home), os.RemoveAll(b.hub.Runtime))
	}
	if err != nil {
		return newExitError(Failed, "export OCAPTAIN_HOME="+home+"\n"+endsDemo(home), "cleaning up: %w; what is left is in %s, and its ships may still run", err, home)
	}
	return nil
}

// printSummary prints the summary and returns an error unless every task was completed exactly as it must be.
func (b *bridge) printSummary(d fleet.Dir, board fleet.Board, wall time.Duration) error {
	r, err := readRecord(d)
	if err != nil {
		return err
	}
	fmt.Fprintln(b.out)
	t := table{heads: []string{"SHIP", "TASKS"}, flex: 1}
	for _, s := range board.Ships {
		t.add(cell{s.Name, theme.ShipStyle(s.Name)}, cell{fmt.Sprint(r.byShip[s.Name]), theme.Plain})
	}
	t.write(b.out, b.width)
	fmt.Fprintf(b.out, "\n%s in %s, %s, %s\n", words.Counted(r.completed, "task"), words.Duration(wall), words.Counted(r.claims, "accepted claim"), words.Counted(r.conflicts, "conflict"))
	wrong := r.wrongTasks(board)
	fmt.Fprintln(b.out, "verify "+verifyWord(board, b.now()))
	if board.Phase != fleet.Complete || !board.Verify.Passed {
		wrong = append(wrong, "the voyage ended as "+string(board.Phase))
		if out := strings.TrimSpace(board.Verify.Output); out != "" {
			fmt.Fprintln(b.out, clean.Text(out))
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	fmt.Fprintln(b.out, theme.Good.Render("Every task was completed by exactly one accepted claim, and the work is verified."))
	return nil
}
