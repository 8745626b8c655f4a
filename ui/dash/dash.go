// Package dash is the dashboard: one tea.Model that shows a voyage live and lets the
// captain steer it. Its panes are plain structs in packages below; its keys are one table.
//
// The dashboard only reads: it shows the voyage's files, follows them, and acts through helm. Nothing in Update or
// View blocks.
package dash

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
	"ocaptain/ui/dash/shown"
	"ocaptain/ui/launch"
	"ocaptain/ui/term/predict"
)

// Options says how the dashboard is opened.
type Options struct {
	Hub    fleet.Hub
	Voyage fleet.Dir // the voyage to show, "" for none yet
	Theme  theme.Name
	// Helm returns a client of a running helm, starting it when there is none.
	Helm func(context.Context) (*api.Client, error)
	Yard launch.Yard
	// Doctor says in one line what is missing on this machine, or that nothing is. It is called when there is no voyage.
	Doctor func(context.Context) string
	Now    func() time.Time
	// Environ describes the terminal: NO_COLOR, TMUX.
	Environ []string
	// Quiet rings no bell and sends no notification.
	Quiet bool
	// Predict says when typed text is shown before the ship has echoed it.
	Predict predict.Mode
	// Closing, when not 0, is how long the dashboard stays open after the end of the voyage when no key was pressed.
	Closing time.Duration
}

// Run shows the dashboard until the captain quits, and returns the voyage that was shown
// last.
func Run(ctx context.Context, o Options) (fleet.Dir, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	collect := shown.Hasten(o.Voyage != "")
	defer collect()
	m := New(ctx, o)
	m.collect = collect
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithEnvironment(o.Environ), tea.WithFPS(frames))
	_, err := p.Run()
	m.close()
	err = cmp.Or(ctx.Err(), err)
	if m.v == nil {
		return "", err
	}
	return m.v.Dir, err
}

// frames is how often a second the screen may change. A higher rate would cost more even when nothing changes: the
// renderer wakes that often.
const frames = 60
