package changes

import (
	"context"
	"errors"
	"fmt"
	"path"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/sync/bounded"
)

// MaxFile bounds a file that ReadFile returns, in bytes.
const MaxFile = 32 << 20

// ReadFile returns the content of a file after the change, exactly as a ship wrote it. Its error for a missing file
// is a *NotFound.
func (c Change) ReadFile(ctx context.Context, d fleet.Dir, name string) ([]byte, error) {
	name = path.Clean(name)
	object := c.Head + ":" + name
	if kind, err := Output(ctx, d.Workspace(), "cat-file", "-t", "--", object); errors.Is(err, ErrNoGit) || ctx.Err() != nil {
		return nil, err
	} else if err != nil || kind != "blob" {
		return nil, &NotFound{Text: fmt.Sprintf("there is no file %s in %s", clean.Line(name), clean.Line(c.Title))}
	}
	cmd := GitCommand(ctx, d.Workspace(), "cat-file", "blob", object)
	out, said := bounded.Refuse(MaxFile), bounded.NewOutput(maxSaid)
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Run()
	if out.IsOver() {
		return nil, fmt.Errorf("%s has more than %d MB", clean.Line(name), MaxFile>>20)
	}
	if err != nil {
		return nil, gitError(ctx, "cat-file", said.String(), err)
	}
	return []byte(out.String()), nil
}
