package aboard

import (
	"context"
	"strings"
	"time"

	"ocaptain/fleet/aboard/wire"
)

// The rhythm of the pulse: how often it is sent, and how often the processes are
// looked at in between. Looking at them costs two reads from /proc; asking tmux
// costs a process.
const (
	pulseEvery = 5 * time.Second
	glanceAt   = 500 * time.Millisecond
)

// pulse tells helm which parts of the ship are alive, regularly and on change.
func (s *server) pulse(ctx context.Context) error {
	tick := time.NewTicker(glanceAt)
	defer tick.Stop()
	var last Pulse
	var sent time.Time
	for {
		var r running
		_ = readJSON(s.home.run(), &r) // a ship whose runner never started has none
		now := Pulse{Pane: last.Pane, Title: last.Title, Runner: r.Runner.alive(), Agent: r.Agent.alive()}
		if now != last || time.Since(sent) >= pulseEvery {
			now.Pane, now.Title = look(ctx, r)
			if err := s.helm.Notify(ctx, MethodPulse, now); err != nil {
				if ctx.Err() != nil || wire.Gone(err) {
					return nil
				}
				return err
			}
			last, sent = now, time.Now()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// look asks tmux whether the runner's pane is there, and for its title.
func look(ctx context.Context, r running) (pane bool, title string) {
	out, err := r.tmuxOutput(ctx, nil, "list-panes", "-a", "-F", "#{pane_id} #{pane_dead} #{pane_title}")
	if err != nil {
		return false, ""
	}
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), " ", 3)
		if len(f) == 3 && f[1] == "0" && (f[0] == r.Pane || r.Pane == "") {
			return true, cut(strings.ToValidUTF8(f[2], "�"), 200)
		}
	}
	return false, ""
}
