package changes

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
)

// MaxCommits bounds how many commits of a task are listed.
const MaxCommits = 50

// Commit is a commit of a task, its text clean.
type Commit struct {
	ID       string
	Author   string
	At       time.Time
	Subject  string
	Merged   bool        // whether the commit is on the branch; if not, it is one of the ship's own steps to it
	Trailers [][2]string // of the merged commit
}

// Commits lists the merged commit of a task, if there is one, and then the ship's own commits that
// it contains, newest first. more reports whether some were left out.
func Commits(ctx context.Context, d fleet.Dir, v fleet.Voyage, t *tasks.State) (all []Commit, more bool, err error) {
	if t.Status == tasks.Completed && t.Commit != "" {
		c, err := OfTask(ctx, d, t)
		if err != nil {
			return nil, false, err
		}
		if !c.IsEmpty() {
			if all, _, err = listCommits(ctx, d, "-1", c.Head); err != nil {
				return nil, false, fmt.Errorf("merged commit of task %s: %w", t.ID, err)
			}
			for i := range all {
				all[i].Merged = true
			}
		}
	}
	if !tasks.ValidID(t.ID) {
		return all, false, nil
	}
	kept, err := commitOf(ctx, d, "refs/ocaptain/tasks/"+t.ID)
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	if err != nil {
		return all, false, nil //nolint:nilerr // the ref does not exist before the first merge
	}
	own, cut, err := listCommits(ctx, d, fmt.Sprintf("-%d", MaxCommits+1), kept, "--not", "refs/heads/"+v.Branch)
	if err != nil {
		return nil, false, fmt.Errorf("commits of task %s: %w", t.ID, err)
	}
	if len(own) > MaxCommits {
		own, cut = own[:MaxCommits], true
	}
	return append(all, own...), cut, nil
}

// maxLog bounds how much output of git log is read for a task, in bytes, since git prints whole messages.
const maxLog = 64 << 20

// listCommits lists commits, within maxLog. args must contain nothing from a ship.
func listCommits(ctx context.Context, d fleet.Dir, args ...string) (all []Commit, cut bool, err error) {
	format := "--format=%H%n%an%n%aI%n%s%n%(trailers:only,unfold)"
	args = append([]string{"log", "-z", "--no-color", "--no-show-signature", format}, args...)
	err = stream(ctx, d.Workspace(), args, func(r *bufio.Reader) (err error) {
		all, err = parseLog(r)
		return err
	})
	if cut = errors.Is(err, errEnough); cut {
		err = nil
	}
	return all, cut, err
}

// parseLog reads git log in the format above. Beyond maxLog it returns errEnough, with the commits so far.
func parseLog(r io.Reader) ([]Commit, error) {
	var all []Commit
	most := &io.LimitedReader{R: r, N: maxLog}
	records := bufio.NewReaderSize(most, 64<<10)
	for {
		record, err := readUntil(records, 0)
		switch {
		case errors.Is(err, io.EOF) && most.N <= 0:
			return all, errEnough
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		lines := strings.Split(string(record), "\n")
		if len(lines) < 4 {
			continue
		}
		at, _ := time.Parse(time.RFC3339, lines[2]) // an unreadable time becomes the zero time
		c := Commit{ID: clean.Line(lines[0]), Author: clean.Line(lines[1]), At: at, Subject: clean.Line(lines[3])}
		for _, line := range lines[4:] {
			if key, value, ok := strings.Cut(line, ": "); ok && len(c.Trailers) < 20 {
				c.Trailers = append(c.Trailers, [2]string{clean.Line(key), clean.Line(value)})
			}
		}
		all = append(all, c)
	}
}
