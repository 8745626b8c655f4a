package launch

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/tools"
)

// checkTools makes sure that this machine has the programs that ships of the order need here.
func (y Yard) checkTools(ctx context.Context, m fleet.Mix) error {
	var wrong []error
	hint := ""
	for _, t := range tools.HubTools(m.Has) {
		line, err := t.Find(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			continue
		}
		switch {
		case errors.Is(err, tools.ErrAbsent):
			err = fmt.Errorf("%s is not on this machine; it is needed for %s", t.Name, t.Need)
		case line != "":
			err = fmt.Errorf("%w for %s; this machine has %q", err, t.Need, line)
		}
		wrong = append(wrong, err)
		if hint != "" {
			hint += "\n"
		}
		hint += Install(t.Package)
	}
	if err := errors.Join(wrong...); err != nil {
		return &Problem{Kind: Missing, Field: Provider, Err: err, Hint: hint}
	}
	return nil
}
