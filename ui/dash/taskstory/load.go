// Package taskstory reads from disk what happened to a task: its history in the journal, its commits and its patch.
package taskstory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
)

// DetailData is what the detail of a task shows beyond the board.
type DetailData struct {
	ID string

	Dispatch    *dispatch.Result // for a dispatch of a pool, nil for another task
	DispatchErr error

	History     []Event
	HistoryLeft int // number of older events that were left out
	HistoryErr  error

	Commits    []changes.Commit
	CommitsCut bool // some commits were left out
	CommitsErr error

	Patch     changes.Patch
	PatchNone string // why there is no patch, in words
	PatchErr  error
}

// LoadDetail reads what is known of a task from disk, until ctx ends. It runs git, so call it in a goroutine of its
// own.
func LoadDetail(ctx context.Context, dir fleet.Dir, id string) DetailData {
	data := DetailData{ID: id}
	data.History, data.HistoryLeft, data.HistoryErr = ReadHistory(ctx, dir, id)
	board, err := fleet.ReadBoard(dir)
	if err != nil {
		err = fmt.Errorf("board of voyage %s: %w", dir.ID(), err)
		data.CommitsErr, data.PatchErr = err, err
		return data
	}
	for i := range board.Tasks {
		if t := &board.Tasks[i]; t.ID == id {
			data.readDispatch(dir, &board)
			data.Commits, data.CommitsCut, data.CommitsErr = changes.Commits(ctx, dir, board.Voyage, t)
			data.readPatch(ctx, dir, &board, t)
			return data
		}
	}
	data.PatchNone = "the task is no longer on the board"
	return data
}

// readDispatch reads the result of a dispatch.
func (data *DetailData) readDispatch(d fleet.Dir, b *fleet.Board) {
	if b.Voyage.PoolName() == "" {
		return
	}
	all, err := dispatch.List(d, b)
	if err != nil {
		data.DispatchErr = fmt.Errorf("dispatch %s: %w", data.ID, err)
		return
	}
	if i := slices.IndexFunc(all, func(r dispatch.Result) bool { return r.Task == data.ID }); i >= 0 {
		data.Dispatch = &all[i]
	}
}

// readPatch reads the change of the task: what it changed, what of it waits for the captain or is in review, or what its ship
// is changing now.
func (data *DetailData) readPatch(ctx context.Context, d fleet.Dir, b *fleet.Board, t *tasks.State) {
	steering := b.SteeringOf(t.ID)
	var c changes.Change
	var err error
	switch {
	case t.Status == tasks.Completed:
		c, err = changes.OfTask(ctx, d, t)
	case steering != nil && steering.Word == fleet.Waits:
		c = changes.OfWaiting(steering)
	case t.InReview():
		c, err = changes.OfHandIn(ctx, d, b.Voyage, t)
	case t.Status == tasks.InProgress:
		c, err = changes.OfShip(ctx, d, t.Owner)
	default:
		data.PatchNone = "no ship works on it, so nothing is changed"
		return
	}
	var none *changes.NotFound
	if errors.As(err, &none) {
		data.PatchNone = none.Text
		return
	}
	if err == nil {
		data.Patch, err = c.Read(ctx, d)
	}
	if err == nil && data.Patch.IsEmpty() {
		data.PatchNone = "nothing is changed"
	}
	data.PatchErr = err
}
