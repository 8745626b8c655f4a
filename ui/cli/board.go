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

// view is a board, and whether it is how the voyage stands now.
type view struct {
	fleet.Board
	Stale bool      `json:"stale"`              // helm does not look after the voyage, or cannot
	Why   string    `json:"staleWhy,omitempty"` // in words
	Known time.Time `json:"staleSince,omitzero"`

	Needs []need.Need    `json:"needs"`      // what waits for the captain
	Queue []fleet.Queued `json:"mergeQueue"` // what was handed in and is not merged yet

	code  int       // to exit with when it is stale
	away  string    // why helm does not look after the voyage, without the age of what is known
	seen  time.Time // when somebody was seen to look after it last
	again string    // that helm was not running, and is again
}

// judge says what follows from the board.
func (v *view) judge(now time.Time, away need.Away) {
	v.Needs, v.Queue = need.All(now, &v.Board, away), v.MergeQueue()
}

// old is the age of a board that a helm at work would have written anew.
const old = 45 * time.Second

// read returns how a voyage stands, and what of it waits for the captain. All commands that show one read it so. Where ships are out and no helm runs it starts
// one; what cannot be known now is as it was known last, and says so.
func (b *bridge) read(ctx context.Context, d fleet.Dir) (view, error) {
	b.withhold()
	v, err := b.look(ctx, d)
	v.judge(b.now(), need.Away{Why: v.away, Since: v.seen})
	return v, err
}

// find finds a voyage and reads how it stands, and prints what the captain should know of that.
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

// readLive is read of this moment: what helm keeps on disk may be a second older.
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

// look is read without needs.
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
			return view{Board: board}, nil // there is nothing to look after yet
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
	if hello.Since.After(v.seen) { // it has begun since, whatever it says of the voyage
		v.seen = hello.Since
	}
	asking, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	now, err := client.Board(asking, d.ID())
	for errors.Is(err, api.ErrDown) && retry.Sleep(asking, 200*time.Millisecond) == nil { // it ended just now, and begins again
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

// staleError ends a command that has shown something stale, lest a reader takes it for the present.
func (v view) staleError() error {
	if v.Stale {
		return silent(v.code)
	}
	return nil
}

// printWarnings tells on w what the captain should know of what he sees.
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
