package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/provider/registry"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/launch"
)

// demoWorkers is how many workers the demonstration of a pool has.
const demoWorkers = 2

// demoCommands are the dispatches of the demonstration, for an agent that runs commands.
var demoCommands = []string{
	"sleep 2; echo 'The kite flies.' >README.md; git add README.md; git commit -qm 'Say what it does'",
	"sleep 1; mkdir -p src; echo 'wind = 7' >src/wind.toml",
	"sleep 1; seq 10 >lines.txt; git add lines.txt; git commit -qm 'Ten lines'; seq 20 >lines.txt",
	"sleep 1; printf 'tail: \"long\"\\ncolour: $RED\\n' >kite.yaml",
	"git log --oneline >history.txt",
}

// demonstratePool dispatches a few commands to a pool and waits until they are done.
func (b *bridge) demonstratePool(ctx context.Context, home string) error {
	repo := filepath.Join(home, "kite")
	if _, err := origin.Prepare(ctx, repo, "", "main", origin.Options{}); err != nil {
		return err
	}
	y := b.launchYard()
	var d fleet.Dir
	for _, text := range demoCommands {
		c := launch.Command{Text: text, Workers: demoWorkers}
		o, err := y.CheckDispatch(ctx, launch.Wish{Repo: repo, Agent: "script", Provider: registry.Here().Name, Unconfined: true}, &c)
		if err != nil {
			return err
		}
		if d, _, err = y.Dispatch(ctx, o, c, b.reporter().report); err != nil {
			return err
		}
	}
	board, err := b.seeThemDone(ctx, d)
	if err != nil {
		return err
	}
	all, err := dispatches(ctx, d, &view{Board: board})
	if err != nil {
		return err
	}
	fmt.Fprintln(b.out)
	var failed []error
	for i := range all {
		writeDispatch(b.out, &all[i], b.now(), b.width)
		if all[i].State != dispatch.Done || all[i].Changed == 0 {
			failed = append(failed, fmt.Errorf("dispatch %s is %s, with %d files changed", all[i].Task, all[i].State, all[i].Changed))
		}
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	fmt.Fprintln(b.out, "\n"+theme.Good.Render("Every command was run by one worker, and its work is on a branch of its own."))
	return nil
}

// seeThemDone prints changes until no dispatch is open.
func (b *bridge) seeThemDone(ctx context.Context, d fleet.Dir) (fleet.Board, error) {
	return b.printUntil(ctx, d, func(board *fleet.Board) bool {
		ended := 0
		for i := range board.Tasks {
			if t := &board.Tasks[i]; t.Status == tasks.Completed || t.OnHold {
				ended++
			}
		}
		return ended == len(demoCommands)
	})
}
