package shown

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/taskpane"
)

// Silence is the largest age of a board while helm works.
const Silence = 45 * time.Second

// IsStale reports whether no more news of the voyage comes: the board is older than helm ever lets it get.
func (v *Voyage) IsStale(now time.Time) bool {
	b := v.Board
	return v.Loaded && !b.At.IsZero() && b.Phase != fleet.Sunk && now.Sub(b.At) > Silence
}

// budget is how much of a frame the filter of the logs may take.
const budget = 3 * time.Millisecond

// FilterLogs goes on with filtering the logs, a part in each frame, and reads the lines that must be drawn and are not in memory.
func (v *Voyage) FilterLogs(frame time.Duration) tea.Cmd {
	var cmds []tea.Cmd
	if v.Logs.Advance(budget) && !v.filtering {
		v.filtering = true
		cmds = append(cmds, tea.Tick(frame, func(time.Time) tea.Msg {
			return act.Then(func() tea.Cmd { v.filtering = false; return nil })
		}))
	}
	for _, work := range v.Logs.PendingReads() {
		cmds = append(cmds, func() tea.Msg {
			done := work()
			return act.Then(func() tea.Cmd { v.Logs.ApplyResult(done); return nil })
		})
	}
	return tea.Batch(cmds...)
}

// Measure counts the changes of dispatches that were done since the last count.
func (v *Voyage) Measure() tea.Cmd {
	some := v.Tasks.Unmeasured()
	if len(some) == 0 || v.measuring || v.ctx.Err() != nil {
		return nil
	}
	v.measuring = true
	return func() tea.Msg {
		sizes := taskpane.Measure(v.ctx, v.Dir, some)
		return act.Then(func() tea.Cmd {
			v.measuring = false
			v.Tasks.SetSizes(sizes)
			return v.Measure()
		})
	}
}
