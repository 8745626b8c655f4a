// Package pullrequest writes the pull request of a voyage, and opens it.
package pullrequest

import (
	"fmt"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/ui/words"
)

// Request is the content of a pull request.
type Request struct {
	Branch string
	Onto   string // the target branch, "" for the repository's default
	Title  string
	Text   string
}

// OfSession returns the pull request of a session: what the captain asked for, what was done, how it was verified, and
// its cost. verify is the session's verify.sh.
func OfSession(b *fleet.Board, verify string) Request {
	var epics, done, found []string
	title := b.Voyage.Name
	for i := range b.Tasks {
		t := &b.Tasks[i]
		switch {
		case t.Cancelled:
		case t.Type() == tasks.Epic:
			if len(epics) == 0 {
				title = t.Subject
			}
			epics = append(epics, strings.TrimSpace(t.Description))
		case t.Status == tasks.Completed && t.Owner != fleet.Coordinator:
			commit := fmt.Sprintf("%.12s", t.Commit)
			if t.Empty {
				commit = "nothing changed"
			}
			done = append(done, fmt.Sprintf("- %s (%s, %s)%s", clean.Line(t.Subject), commit, clean.Line(t.Owner), approval(t)))
			found = append(found, discoveries(t)...)
		}
	}
	if more := len(epics) - 1; more > 0 {
		title += fmt.Sprintf(" (and %d more)", more)
	}
	parts := []string{
		"## What was asked for", clean.Text(strings.Join(epics, "\n\n")),
		"## What was done", strings.Join(done, "\n"),
		"## How it was verified", howVerified(b, verify),
	}
	if len(found) > 0 {
		parts = append(parts, "## What was found", strings.Join(found, "\n"))
	}
	if u := b.Usage; u.Tokens.Sum() > 0 {
		parts = append(parts, "## What it cost", strings.TrimSpace("Tokens: "+words.Tokens(u.Tokens)+". "+words.Dollars(u.CostUSD)))
	}
	return Request{Branch: b.Voyage.Branch, Title: clean.Line(title), Text: strings.Join(parts, "\n\n") + "\n"}
}

// approval says who approved the work on a task, and why, "" for work without a review.
func approval(t *tasks.State) string {
	if t.HandIn == nil || t.HandIn.Review == nil {
		return ""
	}
	r := t.HandIn.Review
	return fmt.Sprintf(". Approved by %s: %s", clean.Line(r.By), clean.Line(r.Reasoning))
}

// discoveries lists the discoveries of a task's reviewer.
func discoveries(t *tasks.State) []string {
	if t.HandIn == nil || t.HandIn.Review == nil {
		return nil
	}
	var list []string
	for _, d := range t.HandIn.Review.Discoveries {
		text := fmt.Sprintf("- %s: %s", clean.Line(d.Type), clean.Line(d.Content))
		if len(d.Files) > 0 {
			text += " (" + clean.Line(strings.Join(d.Files, ", ")) + ")"
		}
		list = append(list, text)
	}
	return list
}

// howVerified says which command verified the branch.
func howVerified(b *fleet.Board, verify string) string {
	switch {
	case !b.Verify.Passed:
		return "It is not verified."
	case b.Voyage.Unchecked:
		return "No command was given to verify it."
	}
	command := strings.TrimSpace(clean.Text(strings.TrimPrefix(verify, "#!/bin/sh\n")))
	return fmt.Sprintf("This passed in a clean checkout of %.12s:\n\n    %s", b.Verify.Commit, strings.ReplaceAll(command, "\n", "\n    "))
}

// OfDispatch returns the pull request of a dispatch: the command and the agent's summary.
func OfDispatch(r *dispatch.Result) Request {
	text := strings.TrimSpace(clean.Text(r.Command))
	if r.Said != "" {
		text += "\n\n---\n\n" + strings.TrimSpace(clean.Text(r.Said))
	}
	p := Request{Branch: r.Branch, Title: clean.Line((tasks.Dispatch{Command: r.Command}).Task().Subject), Text: text + "\n"}
	if r.From != "" && !strings.HasPrefix(r.From, dispatch.Folder+"/") {
		p.Onto = r.From
	}
	return p
}
