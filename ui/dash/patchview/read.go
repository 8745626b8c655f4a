package patchview

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/editor"
	"ocaptain/ui/graphtext"
)

// Read returns the changes of a ship, a task, or with "" of the voyage; for an epic whose plan waits for approval it returns the plan.
func Read(ctx context.Context, d fleet.Dir, b *fleet.Board, of string) (changes.Patch, error) {
	if i := slices.IndexFunc(b.Tasks, func(t tasks.State) bool { return t.ID == of && t.Proposed > 0 }); i >= 0 {
		return brokenDown(d, &b.Tasks[i])
	}
	c, err := changes.Find(ctx, d, *b, of)
	if err != nil {
		return changes.Patch{}, err
	}
	return c.Read(ctx, d)
}

// brokenDown returns the proposed parts of an epic, as rows.
func brokenDown(d fleet.Dir, epic *tasks.State) (changes.Patch, error) {
	plan, err := graphtext.Proposed(d, epic)
	if err != nil {
		return changes.Patch{}, err
	}
	var text strings.Builder
	graphtext.Write(&text, plan)
	p := changes.Patch{Title: "task " + clean.Line(epic.ID) + " is to consist of these tasks; edit them in " + clean.Line(d.Plan(epic.ID))}
	for line := range strings.SplitSeq(text.String(), "\n") {
		p.Lines = append(p.Lines, changes.Line{Kind: changes.Note, Text: line})
	}
	return p, nil
}

// NewDraft writes the changes of a ship, a task or the voyage to a draft.
func NewDraft(ctx context.Context, d fleet.Dir, b *fleet.Board, of string) (editor.Draft, error) {
	c, err := changes.Find(ctx, d, *b, of)
	switch {
	case err != nil:
		return editor.Draft{}, err
	case c.IsEmpty():
		return editor.Draft{}, errors.New("nothing is changed")
	}
	return editor.NewPatch(ctx, d, c, clean.Word(cmp.Or(of, d.ID())))
}
