package describe

import (
	"context"
	"time"
)

// Places finds out about machines that are there before ocaptain puts ships on them.
type Places interface {
	// Look looks at all machines that are configured, at the same time.
	Look(ctx context.Context) ([]Place, error)
	// FreeShips returns how many more ships the machines may have together. bounded is false when any number may be there.
	FreeShips() (room int, bounded bool, err error)
}

// Place is what was seen of a machine that is to have ships.
type Place struct {
	Name    string   // as the captain calls it: "host shed"
	Err     error    // why it cannot be used at all, nil when it answers
	OS      string   // as Go names it
	Arch    string   // as Go names it
	Said    []string // what there is, in words
	Missing []string // programs that are to be installed there
	Doubts  []string // what is wrong with it, the missing programs too
	Fix     string   // of these doubts, "" for none
	Walls   string   // why ships cannot be confined there, "" when they can
}

// KeepAwake keeps a machine from being paused for a while, an hour at the most; no time at all lets it sleep. It replaces what was asked
// before under that name.
type KeepAwake func(ctx context.Context, name string, long time.Duration) error

// Variable is an environment variable that a provider reads.
type Variable struct {
	Name string
	// Login says that it holds a login, which is a secret. Another has an address or the like.
	Login bool
	// Shell says that helm reads it from its environment, and that no file may set it.
	Shell bool
	Help  string
}

// Setting is a text of config.yaml that belongs to a provider. Its whole name is NAME.KEY, and its environment variable OCAPTAIN_NAME_KEY.
type Setting struct {
	Key  string
	Help string
}

// Part is a command that ocaptain itself runs on the ships or the machines of a provider: "ocaptain aboard NAME".
type Part struct {
	Name  string
	Short string
	Run   func(ctx context.Context, home string) error
}

// IsConfigured reports whether any login of the provider is set in a variable.
func (p Provider) IsConfigured(variable func(name string) (value, from string)) bool {
	for _, v := range p.Variables {
		if value, _ := variable(v.Name); v.Login && value != "" {
			return true
		}
	}
	return false
}
