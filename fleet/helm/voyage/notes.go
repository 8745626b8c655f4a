package voyage

import (
	"fmt"
	"path/filepath"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/facts"
	"ocaptain/tasks"
	"ocaptain/tasks/taskdir"
)

// tampered tells the captain what others did to the task directory, which the store
// has undone already.
func (v *Voyage) tampered(all []taskdir.Tamper) {
	for _, t := range all[:min(len(all), facts.MaxNotes)] {
		if t.What == taskdir.Created {
			is := t.Change
			v.propose(fleet.Proposal{
				Task: clean.Word(t.Task), Text: clean.Bound(fmt.Sprintf("a task file that helm had not written was put aside as %s: %s", filepath.Base(t.Kept), is.Subject), clean.MaxText),
				Edit: &tasks.Edit{Subject: is.Subject, Description: is.Description, Blocks: is.Blocks, BlockedBy: is.BlockedBy},
			})
			continue
		}
		var text string
		switch t.What {
		case taskdir.Edited:
			text = "its file was edited (" + strings.Join(t.Fields, ", ") + ") and restored: only claims and completions through ocaptain count"
		default:
			text = "its file was " + string(t.What) + " and restored"
		}
		v.Notes.Add(fleet.Note{Task: clean.Word(t.Task), Text: clean.Bound(text, clean.MaxText)})
	}
}
