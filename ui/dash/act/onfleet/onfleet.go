// Package onfleet is the actions beside the shown voyage: another one is sailed, chosen or dispatched to, finished work is taken, and machines that
// no voyage has are swept.
package onfleet

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/jobs"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/launch"
)

// Desk is the part of the dashboard that these actions use. Its functions are called by the goroutine that updates
// the model, except for Send and Start.
type Desk struct {
	Context context.Context // ends with the program
	Hub     fleet.Hub
	Yard    *launch.Yard
	Jobs    *jobs.List
	Now     func() time.Time

	Say   func(level toast.Level, text string) tea.Cmd
	Show  func(dialog.Dialog)
	Send  func(context.Context, act.Then)
	Start func(context.Context) (*api.Client, error) // returns a client of a running helm

	Busy  func() bool       // reports whether the captain is in the middle of something
	Away  func() bool       // reports whether he goes to a ship
	Shown func() *fleet.Dir // the shown voyage, nil for none
	Open  func(fleet.Dir)   // shows a voyage
	Leave func()            // shows no voyage

	orphans int // the number of machines without a voyage, by helm's last report
}
