package describe

import (
	"context"
	"time"
)

// Places inspects machines that exist before ocaptain puts ships on them.
type Places interface {
	// Look inspects all configured machines, at the same time.
	Look(ctx context.Context) ([]Place, error)
	// FreeShips returns for how many more ships the machines have room in all. bounded is false when there is no limit.
	FreeShips() (room int, bounded bool, err error)
}

// Place is the result of inspecting a machine.
type Place struct {
	Name    string   // the captain's name for it, such as "host shed"
	Err     error    // why it cannot be used at all, nil when it can
	OS      string   // named as Go does
	Arch    string   // named as Go does
	Said    []string // descriptions of what was found
	Missing []string // programs that have to be installed there
	Doubts  []string // what is wrong with it, including missing programs
	Fix     string   // what to do about Doubts, "" for nothing
	Walls   string   // why ships cannot be sandboxed there, "" when they can
}

// KeepAwake keeps a machine from being paused for a time, at most an hour; a time of 0 lets it pause. A new call with the same name
// replaces the last one.
type KeepAwake func(ctx context.Context, name string, long time.Duration) error

// Variable is an environment variable that a provider reads.
type Variable struct {
	Name string
	// Login says that the variable holds a login, which is a secret. If false, it holds an address or the like.
	Login bool
	// Shell says that helm reads the variable from its environment, and that no file may set it.
	Shell bool
}

// Setting is a setting of a provider in config.yaml. Its full name is NAME.KEY, and its environment variable OCAPTAIN_NAME_KEY.
type Setting struct {
	Key  string
	Help string
}

// Part is a command that ocaptain itself runs on the ships or machines of a provider: "ocaptain aboard NAME".
type Part struct {
	Name  string
	Short string
	Run   func(ctx context.Context, home string) error
}

// IsConfigured reports whether a login of the provider is set in a variable.
func (p Provider) IsConfigured(variable func(name string) (value, from string)) bool {
	for _, v := range p.Variables {
		if value, _ := variable(v.Name); v.Login && value != "" {
			return true
		}
	}
	return false
}
