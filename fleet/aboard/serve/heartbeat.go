package serve

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/aboard/prompt"
	"ocaptain/fleet/aboard/scout"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/watch"
)

// heartbeatEvery is the time between heartbeats while nothing changes.
const heartbeatEvery = 5 * time.Second

// untilHeartbeat returns the time from now to the next heartbeat, which is sent when a second of the clock begins. So ships whose
// clocks agree wake helm once a second, where 100 ships would wake it twenty times. Linux rounds its own timers for the same reason
// (round_jiffies).
func untilHeartbeat(now time.Time) time.Duration {
	return now.Truncate(time.Second).Add(heartbeatEvery).Sub(now)
}

// sendHeartbeats tells helm which processes of the ship are alive, regularly and after a change.
func (s *server) sendHeartbeats(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	watcher := watch.New()
	defer watcher.Close()
	if err := watcher.Add(filepath.Dir(s.home.Run())); err != nil {
		return fmt.Errorf("follow the agent: %w", err)
	}
	tick := time.NewTimer(untilHeartbeat(time.Now()))
	defer tick.Stop()
	var last proto.Pulse
	var pane look
	runner, program := newVigil(), newVigil()
	for due := true; ; {
		var r shipdir.Running
		_ = shipdir.ReadJSON(s.home.Run(), &r) // fails if the runner never started
		runner.keep(ctx, r.Runner)
		program.keep(ctx, r.Agent)
		now := last
		now.Runner, now.Agent, now.Index = r.Runner.Alive(), r.Agent.Alive(), scout.IndexOf(s.home)
		if now != last || due {
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
			last = now
		}
		due = false
		for wake := false; !wake; {
			select {
			case e := <-watcher.Events:
				wake = e.Name == s.home.Run() || e.Name == s.home.Search()
			case <-watcher.Missed:
				wake = true
			case <-runner.over:
				wake = true
			case <-program.over:
				wake = true
			case <-tick.C:
				tick.Reset(untilHeartbeat(time.Now()))
				wake, due = true, true
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// vigil waits for the end of a process.
type vigil struct {
	of   shipdir.Process
	stop context.CancelFunc
	over chan struct{} // gets a value when the process has ended
}

func newVigil() *vigil { return &vigil{stop: func() {}, over: make(chan struct{}, 1)} }

// keep makes the vigil one of the process p, unless it is that already.
func (v *vigil) keep(ctx context.Context, p shipdir.Process) {
	if p == v.of {
		return
	}
	v.stop()
	ctx, v.stop = context.WithCancel(ctx)
	v.of = p
	go func() {
		p.Wait(ctx)
		select {
		case v.over <- struct{}{}:
		default:
		}
	}()
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
