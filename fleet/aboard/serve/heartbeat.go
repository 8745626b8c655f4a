package serve

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/aboard/prompt"

	"ocaptain/fleet/aboard/scout"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
)

// The intervals between heartbeats, and between looks at the processes. A look costs two reads from /proc; asking
// tmux costs a process.
const (
	heartbeatEvery = 5 * time.Second
	glanceAt       = 500 * time.Millisecond
)

// sendHeartbeats tells helm which processes of the ship are alive, regularly and after a change.
func (s *server) sendHeartbeats(ctx context.Context) error {
	tick := time.NewTicker(glanceAt)
	defer tick.Stop()
	var last proto.Pulse
	var sent time.Time
	var pane look
	for {
		var r shipdir.Running
		_ = shipdir.ReadJSON(s.home.Run(), &r) // fails if the runner never started
		now := last
		now.Runner, now.Agent, now.Index = r.Runner.Alive(), r.Agent.Alive(), scout.IndexOf(s.home)
		if now != last || time.Since(sent) >= heartbeatEvery {
			if was := last; pane.isQuiet(r.Pane) && was.Runner == now.Runner && was.Agent == now.Agent {
				now.Pane, now.Title, now.Screen, now.Retry = was.Pane, was.Title, was.Screen, was.Retry
			} else {
				pane = lookAtPane(ctx, r, &now)
			}
			if err := s.helm.Notify(ctx, proto.MethodPulse, now); err != nil {
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

// look says when a pane was looked at, and when its terminal had last been printed to, which is the modification time of the
// terminal's file. The zero look is of no pane.
type look struct {
	pane, tty   string
	at, printed time.Time
}

// isQuiet reports whether nothing was printed on the pane since the look, and the terminal still exists. Linux updates the time of a
// terminal only in steps of eight seconds.
func (l look) isQuiet(pane string) bool {
	info, err := os.Stat(l.tty)
	return l.tty != "" && l.pane == pane && err == nil && info.ModTime().Equal(l.printed) && l.at.Unix() > l.printed.Unix()|7
}

// lookAtPane asks tmux whether the runner's pane exists, for its title and for its screen. A single process answers
// all, since this is done all the time.
func lookAtPane(ctx context.Context, r shipdir.Running, p *proto.Pulse) (is look) {
	p.Pane, p.Title, p.Screen, p.Retry = false, "", "", ""
	const mark = "the screen:"
	ask := []string{"list-panes", "-a", "-F", "#{pane_id} #{pane_dead} #{pane_tty} #{pane_title}"}
	list, screen := "", ""
	began := time.Now()
	if r.Pane != "" {
		both := append(slices.Clone(ask), ";", "display-message", "-p", mark, ";", "capture-pane", "-p", "-t", r.Pane)
		if out, err := r.TmuxOutput(ctx, nil, both...); err == nil {
			list, screen, _ = strings.Cut(out, "\n"+mark+"\n") // no title contains a newline
		}
	}
	if list == "" {
		var err error
		if list, err = r.TmuxOutput(ctx, nil, ask...); err != nil {
			return look{}
		}
	}
	for line := range strings.Lines(list) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), " ", 4)
		if len(f) == 4 && f[1] == "0" && (f[0] == r.Pane || r.Pane == "") {
			p.Pane, p.Title = true, shipdir.Cut(strings.ToValidUTF8(f[3], "\uFFFD"), 200)
			if info, err := os.Stat(f[2]); err == nil {
				is = look{r.Pane, f[2], began, info.ModTime()}
			}
			break
		}
	}
	if p.Pane && p.Agent {
		p.Screen, p.Retry = prompt.Question(screen), shipdir.Cut(strings.ToValidUTF8(prompt.TryingAgain(screen), "\uFFFD"), 200)
	}
	return is
}
