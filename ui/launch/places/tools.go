package places

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ocaptain/fleet/mix"

	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/tools"
	"ocaptain/ui/launch/problem"
)

// ToolCure returns what the captain can do about an error of Tool.Find.
func ToolCure(t tools.Tool, err error) string {
	var broken *tools.BrokenError
	if errors.As(err, &broken) {
		return "put right what it says; then this works: " + strings.Join(t.Version, " ")
	}
	return Install(t.Package)
}

// CheckTools checks that this machine has the programs that ships of a mix need here.
func CheckTools(ctx context.Context, m mix.Mix) error {
	var wrong []error
	hint := ""
	for _, t := range registry.Tools(m.Has) {
		line, err := t.Find(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			continue
		}
		if hint != "" {
			hint += "\n"
		}
		hint += ToolCure(t, err)
		switch {
		case errors.Is(err, tools.ErrAbsent):
			err = fmt.Errorf("%s is not on this machine; it is needed for %s", t.Name, t.Need)
		case line != "":
			err = fmt.Errorf("%w for %s; this machine has %q", err, t.Need, line)
		}
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return &problem.Problem{Kind: problem.Missing, Field: problem.Provider, Err: err, Hint: hint}
	}
	return nil
}
