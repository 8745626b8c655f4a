package changes

import (
	"context"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/ui/words"
)

// Clash is a file that both a ship and the shared tree have changed. The ship chose the file's name.
type Clash struct{ Ship, File string }

func (c Clash) String() string { return clean.Line(c.Ship + ": " + c.File) }

// Clashes returns the clashing files of a board.
func Clashes(b *fleet.Board) (all []Clash) {
	for i := range b.Ships {
		for _, file := range b.Ships[i].Tree.Conflicts {
			all = append(all, Clash{b.Ships[i].Name, file})
		}
	}
	return all
}

// Change returns the difference from the newest copy of workspace/ to the newest copy of the ship's tree.
func (c Clash) Change(ctx context.Context, d fleet.Dir) (Change, error) {
	hub, err := commitOf(ctx, d, "refs/ocaptain/shared")
	if err != nil {
		return Change{}, err
	}
	ship, err := commitOf(ctx, d, "refs/ocaptain/live/"+c.Ship)
	return Change{Title: c.String(), Base: hub, Head: ship, only: c.File}, err
}

// NoClash is the text for a clashing file that is the same in both copies; git-ignored files are not in the copies.
const NoClash = "what differs is not known: git ignores it, or it just came"

// OfTrees describes the trees of a voyage with a shared tree.
func OfTrees(b *fleet.Board) (all []string) {
	for i := range b.Ships {
		s := &b.Ships[i]
		if s.Tree.State == "" {
			continue
		}
		line := s.Name + " is " + string(s.Tree.State)
		if s.Tree.Why != "" {
			line += ": " + s.Tree.Why
		}
		all = append(all, clean.Line(line))
		for _, p := range s.Tree.Problems {
			all = append(all, clean.Line(s.Name+": "+p.Path+" does not travel: "+p.Why))
		}
		if n := s.Tree.MoreProblems; n > 0 {
			all = append(all, clean.Line(s.Name+": "+words.Counted(n, "more file")+" that do not travel"))
		}
		if n := s.Tree.MoreConflicts; n > 0 {
			all = append(all, clean.Line(s.Name+": "+words.Counted(n, "more file")+" that clash, told once these are settled"))
		}
	}
	return all
}

// ReadTrees reads the differences of clashing files, each as a file of the patch, within the bounds of a patch. The lines of said come
// first.
func ReadTrees(ctx context.Context, d fleet.Dir, said []string, clashes []Clash) (Patch, error) {
	var p Patch
	for _, line := range said {
		p.Lines = append(p.Lines, Line{Note, line})
	}
	if len(clashes) > 0 {
		p.Lines = append(p.Lines, Line{Note, "changed on both sides (− workspace/, + the ship):"})
	}
	for _, clash := range clashes {
		at := Place{File{Path: clash.String()}, len(p.Lines)}
		p.Lines = append(p.Lines, Line{Head, clash.String()})
		one, err := clash.read(ctx, d)
		switch {
		case ctx.Err() != nil:
			return p, ctx.Err()
		case err != nil:
			p.Lines = append(p.Lines, Line{Note, "what differs is not known: " + clean.Line(err.Error())})
		case one.IsEmpty():
			p.Lines = append(p.Lines, Line{Note, NoClash})
		case len(p.Lines)+len(one.Lines) > MaxLines:
			p.Lines = append(p.Lines, Line{Note, "what differs is left out"})
		default:
			for _, l := range one.Lines {
				if l.Kind != Head || len(one.Files) > 1 { // for a single file, the file's own head is enough
					p.Lines = append(p.Lines, l)
				}
			}
		}
		for _, f := range one.Files {
			if at.Added = max(at.Added, 0) + f.Added; f.Added < 0 {
				at.Added = -1
			}
			at.Removed += f.Removed
		}
		p.Files, p.Added, p.Removed = append(p.Files, at), p.Added+one.Added, p.Removed+one.Removed
	}
	return p, nil
}

func (c Clash) read(ctx context.Context, d fleet.Dir) (Patch, error) {
	change, err := c.Change(ctx, d)
	if err != nil {
		return Patch{}, fmt.Errorf("%s: %w", c, err)
	}
	return change.Read(ctx, d)
}
