package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/need"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
	"ocaptain/ui/words"
)

// view is a board, and whether it is current.
type view struct {
	fleet.Board
	Stale bool      `json:"stale"`              // the board is not current: helm does not run, or cannot run the voyage
	Why   string    `json:"staleWhy,omitempty"` // why the board is not current
	Known time.Time `json:"staleSince,omitzero"`

	Needs []need.Need    `json:"needs"`      // what waits for the captain
	Queue []fleet.Queued `json:"mergeQueue"` // work that was handed in and is not merged yet

	code  int       // exit code of a command that shows a stale board
	away  string    // why helm does not run the voyage, without the age of the board
	seen  time.Time // when helm was last known to run the voyage
	again string    // says that helm was not running and was started again; "" otherwise
}

// judge computes the needs and the merge queue from the board.
func (v *view) judge(now time.Time, away need.Away) {
	v.Needs, v.Queue = need.All(now, &v.Board, away), v.MergeQueue()
}

// old is the age at which a board shows that helm is not at work, as helm writes it more often.
const old = 45 * time.Second

// read returns the board of a voyage and what of it waits for the captain. All commands that show a voyage use it. When ships are out and no helm
// runs, it starts helm; if that fails, it returns the last known board, marked as stale.
func (b *bridge) read(ctx context.Context, d fleet.Dir) (view, error) {
	b.withhold()
	v, err := b.look(ctx, d)
	v.judge(b.now(), need.Away{Why: v.away, Since: v.seen})
	return v, err
}

// find finds a voyage, reads its view, and prints the warnings of the view.
func (b *bridge) find(ctx context.Context, voyage string) (fleet.Dir, view, error) {
	d, err := b.voyage(voyage)
	if err != nil {
		return "", view{}, err
	}
	v, err := b.read(ctx, d)
	if err == nil {
		v.printWarnings(b.err)
	}
	return d, v, err
}

// readLive is like read, but asks helm for its present board: the board on disk may be a second older.
func (b *bridge) readLive(ctx context.Context, d fleet.Dir) (view, error) {
	v, err := b.read(ctx, d)
	if err != nil || v.Stale {
		return v, err
	}
	if now, err := api.NewClient(b.hub).Board(ctx, d.ID()); err == nil {
		v.Board = now
		v.judge(b.now(), need.Away{})
	}
	return v, nil
}

// look is like read, but without needs.
func (b *bridge) look(ctx context.Context, d fleet.Dir) (view, error) {
	board, err := fleet.ReadBoard(d)
	damage := err
	if err != nil {
		if board, err = fleet.ReadSummary(d); err != nil {
			board = fleet.Board{Voyage: fleet.Voyage{ID: d.ID()}}
		}
	}
	if damage == nil && (len(board.Ships) == 0 && !board.At.IsZero() || board.Phase == fleet.Sunk) {
		return view{Board: board}, nil
	}
	client := api.NewClient(b.hub)
	hello, down := client.Hello(ctx)
	v := view{Board: board, Known: board.At, seen: board.At}
	if down != nil {
		if len(board.Ships) == 0 && damage == nil {
			return view{Board: board}, nil // no ship is out, so helm need not run
		}
		starting, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if client, err = b.connectHelm(starting); err != nil {
			return v.markStale(HelmDown, fmt.Sprintf("helm is not running: %s. It could not be started: %v", b.boardAge(board), err), "it could not be started: "+err.Error()), ctx.Err()
		}
		v.seen = b.now()
		v.again = fmt.Sprintf("helm was not running: %s. It is running again.", b.boardAge(board))
	} else if damage == nil && hello.PID == board.Helm && b.now().Sub(board.At) < old {
		return view{Board: board}, nil
	}
	if hello.Since.After(v.seen) { // helm has started since, whatever it says about the voyage
		v.seen = hello.Since
	}
	asking, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	now, err := client.Board(asking, d.ID())
	for errors.Is(err, api.ErrDown) && retry.Sleep(asking, 200*time.Millisecond) == nil { // helm ended just now, and starts again
		now, err = client.Board(asking, d.ID())
	}
	if err != nil {
		return v.markStale(Failed, strings.TrimSpace(fmt.Sprintf("%s. %s", err, b.boardAge(board))), err.Error()), ctx.Err()
	}
	return view{Board: now, again: v.again}, nil
}

func (v view) markStale(code int, why, away string) view {
	v.Stale, v.Why, v.code, v.away, v.again = true, why, code, away, ""
	return v
}

// staleError returns the error that ends a command which has shown a stale board, so that scripts do not take the
// board for current.
func (v view) staleError() error {
	if v.Stale {
		return silent(v.code)
	}
	return nil
}

// printWarnings writes to w why the board is stale, and whether helm was started again.
func (v view) printWarnings(w io.Writer) {
	if text := orWord(v.Why, v.again); text != "" {
		fmt.Fprintln(w)
		writeWarning(w, text, 0)
	}
}

// boardAge says how old a board is.
func (b *bridge) boardAge(board fleet.Board) string {
	if board.At.IsZero() {
		return "nothing is known yet"
	}
	return "this was known " + words.Since(b.now(), board.At)
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
