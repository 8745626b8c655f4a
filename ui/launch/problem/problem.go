// Package problem says why an order cannot be carried out, which part of it is to blame, and what to do.
package problem

import (
	"errors"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
)

// Kind is the kind of a problem.
type Kind string

// The kinds.
const (
	Failed   Kind = "failed"    // it was tried and did not succeed
	Usage    Kind = "usage"     // the order, the configuration or the plan is wrong
	NotFound Kind = "not found" // a name matches nothing
	Refused  Kind = "refused"   // the rules forbid it, or the captain did not agree
	Down     Kind = "down"      // helm does not run and could not be started
	Missing  Kind = "missing"   // a required program or token is missing
)

// Field is the part of a launch.Wish or a launch.Command that a problem is about.
type Field string

// The fields.
const (
	None         Field = "" // no single part
	Plan         Field = "plan"
	Ships        Field = "ships"
	Provider     Field = "provider"
	Agent        Field = "agent"
	AgentVersion Field = "version of the agent"
	Repo         Field = "repository"
	Model        Field = "model"
	Unconfined   Field = "unconfined"
	MaxAge       Field = "greatest age"
	MaxCost      Field = "greatest cost"
	MaxRate      Field = "greatest cost of an hour"
	Sink         Field = "sink"
	Text         Field = "command" // the command of a dispatch, or the text of a session
	Base         Field = "base"
	Branch       Field = "branch"
	Files        Field = "files that git ignores"
	Sync         Field = "sync"
)

// Problem is why an order cannot be carried out.
type Problem struct {
	Kind  Kind
	Field Field
	Err   error
	Hint  string // what to do about it, "" when the error says so; may have several lines
}

func (p *Problem) Error() string { return p.Err.Error() }
func (p *Problem) Unwrap() error { return p.Err }

// New returns a problem whose error is made like that of fmt.Errorf.
func New(kind Kind, field Field, hint, format string, args ...any) *Problem {
	return &Problem{kind, field, fmt.Errorf(format, args...), hint}
}

// Defect is something that the captain should know of an order, and what to do about it. It is clean to show.
type Defect struct{ What, Fix string }

// At adds to a problem with a field where the field's value was written, if err is such a problem.
func At(err error, field Field, where string) error {
	if p, ok := errors.AsType[*Problem](err); ok && p.Field == field && where != "" {
		return &Problem{p.Kind, p.Field, fmt.Errorf("%s: %w", clean.Line(where), p.Err), p.Hint}
	}
	return err
}

// KindOf returns the kind of an error.
func KindOf(err error) Kind {
	var p *Problem
	var none *fleet.NoVoyage
	switch {
	case errors.As(err, &p):
		return p.Kind
	case errors.As(err, &none), errors.Is(err, api.ErrNotFound):
		return NotFound
	case errors.Is(err, api.ErrRefused):
		return Refused
	case errors.Is(err, api.ErrDown):
		return Down
	}
	return Failed
}
