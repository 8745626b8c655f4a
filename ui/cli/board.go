package cli

import (
	"context"
	"fmt"
	"time"

	"ocaptain/ui/words"

	"ocaptain/fleet"
	"ocaptain/fleet/helm"
	"ocaptain/tasks"
)

// freshness says how old the board is when that matters: when ships are out and no
// helm looks after them. It starts helm then. It returns "" when all is well.
func (b *bridge) freshness(ctx context.Context, board fleet.Board) string {
	if len(board.Ships) == 0 || board.Phase == fleet.Sunk || b.helmAnswers(ctx) {
		return ""
	}
	state := "nothing is known yet"
	if !board.At.IsZero() {
		state = "this was known " + words.Since(b.now(), board.At)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := b.helm(ctx); err != nil {
		return fmt.Sprintf("helm is not running: %s. It could not be started: %v", state, err)
	}
	return fmt.Sprintf("helm was not running: %s. It is running again.", state)
}

// stale is the age of a board that a helm at work would have written anew.
const stale = 45 * time.Second

// newest returns the board as helm sees it when the file is old: helm may not be able to write it.
func (b *bridge) newest(ctx context.Context, d fleet.Dir, board fleet.Board) fleet.Board {
	if len(board.Ships) == 0 || board.Phase == fleet.Sunk || b.now().Sub(board.At) < stale {
		return board
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if now, err := helm.NewClient(b.hub).Board(ctx, d.ID()); err == nil {
		return now
	}
	return board
}

// blockers returns the blockers of each pending task that are not completed.
func blockers(all []tasks.State) map[string][]string {
	done := make(map[string]bool, len(all))
	for i := range all {
		done[all[i].ID] = all[i].Status == tasks.Completed
	}
	open := map[string][]string{}
	for i := range all {
		if all[i].Status != tasks.Pending {
			continue
		}
		for _, id := range all[i].BlockedBy {
			if !done[id] {
				open[all[i].ID] = append(open[all[i].ID], id)
			}
		}
	}
	return open
}

// subjects returns what each task is called.
func subjects(all []tasks.State) map[string]string {
	names := make(map[string]string, len(all))
	for i := range all {
		names[all[i].ID] = all[i].Subject
	}
	return names
}
