package editor

import (
	"bytes"
	"context"

	"ocaptain/fleet"
	"ocaptain/ui/changes"
)

// NewPatch writes a change to a draft, as a patch without control characters. Remove the draft when done.
func NewPatch(ctx context.Context, d fleet.Dir, c changes.Change, name string) (Draft, error) {
	var text bytes.Buffer
	err := c.ScanLines(ctx, d, true, func(l changes.Line) error {
		_, err := text.WriteString(l.Text + "\n")
		return err
	})
	if err != nil {
		return Draft{}, err
	}
	return NewDraft(name+".diff", text.Bytes())
}
