// Package changes finds what ships, tasks and voyages change in a repository, and reads changes as
// lines that are safe to show.
package changes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/sync/gitflow/hub"
	"ocaptain/sync/gitflow/steer"
	"ocaptain/tasks"
)

// Change is the difference between two commits of a voyage's workspace. The commits are the same
// when nothing changed.
type Change struct {
	Title string `json:"title"`
	Base  string `json:"base"`
	Head  string `json:"head"`

	only string // the only file or directory that counts, "" for all
}

// IsEmpty reports whether nothing was changed.
func (c Change) IsEmpty() bool { return c.Base == c.Head }

// NotFound means that there is no such change, with advice.
type NotFound struct {
	Text   string
	Advice string // "" when the text of the error gives advice already
}

func (e *NotFound) Error() string { return e.Text }

// Find returns the change of a ship, of a task or, for "", of the whole voyage.
func Find(ctx context.Context, d fleet.Dir, board fleet.Board, name string) (Change, error) {
	if name == "" {
		return OfVoyage(ctx, d, board.Voyage)
	}
	for i := range board.Ships {
		if board.Ships[i].Name == name {
			return OfShip(ctx, d, name)
		}
	}
	for i := range board.Tasks {
		if t := &board.Tasks[i]; t.ID == name {
			if s := board.SteeringOf(name); s != nil && s.Word == fleet.Waits {
				return OfWaiting(s), nil
			}
			if t.InReview() {
				return OfHandIn(ctx, d, board.Voyage, t)
			}
			return OfTask(ctx, d, t)
		}
	}
	if c, err := OfShip(ctx, d, name); err == nil || ctx.Err() != nil { // the ship may be gone
		return c, err
	}
	return Change{}, &NotFound{
		fmt.Sprintf("voyage %s has neither a ship nor a task called %q", d.ID(), name), "see: ocaptain status, ocaptain tasks",
	}
}

// OfVoyage returns everything merged since the voyage began.
func OfVoyage(ctx context.Context, d fleet.Dir, v fleet.Voyage) (Change, error) {
	c := Change{Title: "voyage " + d.ID(), Base: v.Base}
	var err error
	if c.Head, err = commitOf(ctx, d, "refs/heads/"+v.Branch); err == nil && c.Base == "" {
		c.Base, err = Output(ctx, d.Workspace(), "hash-object", "-t", "tree", "/dev/null")
	}
	return c, err
}

// OfShip returns what the ship's newest snapshot has and the branch lacks.
func OfShip(ctx context.Context, d fleet.Dir, ship string) (Change, error) {
	from, live, err := hub.Unmerged(ctx, d.Workspace(), ship)
	switch {
	case ctx.Err() != nil:
		return Change{}, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return Change{}, ErrNoGit
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return Change{}, err
	case live == "":
		return Change{}, &NotFound{Text: fmt.Sprintf("there is no snapshot of %s yet", clean.Line(ship))}
	}
	return Change{Title: clean.Line(ship) + ", not merged yet", Base: from, Head: live}, nil
}

// OfWaiting returns the work on a task that waits for the captain to approve the files that steer agents.
func OfWaiting(s *fleet.Steering) Change {
	return Change{Title: fmt.Sprintf("task %s by %s, waits for you: approve or reject it", clean.Line(s.Task), clean.Line(s.Ship)), Base: s.Base, Head: s.Commit}
}

// OfHandIn returns the work on a task in review, since it left the branch.
func OfHandIn(ctx context.Context, d fleet.Dir, v fleet.Voyage, t *tasks.State) (Change, error) {
	c := Change{Title: fmt.Sprintf("task %s by %s, in review, not merged yet", clean.Line(t.ID), clean.Line(t.HandIn.Owner))}
	branch, err := commitOf(ctx, d, "refs/heads/"+v.Branch)
	if err == nil {
		c.Head, err = commitOf(ctx, d, t.HandIn.Commit)
	}
	if err == nil {
		c.Base, err = Output(ctx, d.Workspace(), "merge-base", branch, c.Head)
	}
	if err != nil {
		return Change{}, fmt.Errorf("what was handed in for task %s: %w", clean.Line(t.ID), err)
	}
	return c, nil
}

// Steering lists the files of the change that steer agents, with names as ships wrote them.
func (c Change) Steering(ctx context.Context, d fleet.Dir) ([]string, error) {
	if c.IsEmpty() {
		return []string{}, nil
	}
	all, err := steer.Between(ctx, d.Workspace(), c.Base, c.Head)
	return slices.DeleteFunc(all, func(path string) bool { return c.only != "" && path != c.only && !strings.HasPrefix(path, c.only+"/") }), err
}

// SteeringLine says which files of a change steer agents, "" for none.
func SteeringLine(paths []string) string {
	const most = 10
	if len(paths) == 0 {
		return ""
	}
	text := "changes files that steer agents: " + clean.Line(strings.Join(paths[:min(len(paths), most)], ", "))
	if more := len(paths) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// OfTask returns the commit of a completed task.
func OfTask(ctx context.Context, d fleet.Dir, t *tasks.State) (Change, error) {
	if t.Status != tasks.Completed {
		advice := ""
		if t.Owner != "" {
			advice = "see what its ship is changing: ocaptain diff " + clean.Line(t.Owner)
		}
		return Change{}, &NotFound{fmt.Sprintf("task %s is not completed", clean.Line(t.ID)), advice}
	}
	owner := t.Owner
	if owner == "" {
		owner = "nobody"
	}
	c := Change{Title: fmt.Sprintf("task %s by %s: %s", t.ID, owner, t.Subject), Base: t.Commit, Head: t.Commit}
	if t.Commit == "" {
		return c, nil
	}
	head, err := commitOf(ctx, d, t.Commit)
	if err != nil {
		return Change{}, fmt.Errorf("commit of task %s: %w", clean.Line(t.ID), err)
	}
	c.Base, c.Head = head+"^", head
	return c, nil
}

// commitOf resolves the name of a commit. git never takes the name for an option.
func commitOf(ctx context.Context, d fleet.Dir, name string) (string, error) {
	return Output(ctx, d.Workspace(), "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
}
