package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/aboard/serve"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/standin"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provision"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// patience is the longest wait for one event. Tests wait longer, as they run beside many others.
var patience = 20 * time.Second

// key is the agent's API key. Only the stand-in service accepts it.
const key = "sk-ant-trial-0123456789-abcdefghij"

// stage is the home of a ship and the processes that run in it.
type stage struct {
	home shipdir.Dir
	exe  string // this program
	helm *standin.Helm
	conn *wire.Conn
	done chan error // result of serve

	// Guarded by helm.Mu.
	rests  bool              // the verdict is that nothing is to be done, whatever tasks there are
	vetoes map[string]string // by task, why helm refuses its next completion
}

// newStage makes a home for a ship below dir, with the agent's program in it.
func newStage(dir string, o Order, is proto.Ship, secrets map[string]string, list ...tasks.Task) (*stage, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// The name of a socket may have at most 108 bytes.
	home, err := os.MkdirTemp(dir, "t")
	if err != nil {
		return nil, err
	}
	s := &stage{home: shipdir.Dir(home), exe: exe, helm: standin.New(list...), vetoes: map[string]string{}}
	s.helm.Verdict, s.helm.Complete = s.verdict, s.veto
	bin := filepath.Dir(s.home.Binary())
	is.Voyage, is.Name, is.Role, is.List, is.Workspace = "voyage-trial", standin.Ship, "worker", "voyage-trial-tasks", s.work()
	is.Agent, is.Version = o.Agent, o.Version
	return s, errors.Join(
		s.home.Make(), os.MkdirAll(s.work(), 0o755), os.MkdirAll(bin, 0o755),
		os.Symlink(o.Program, filepath.Join(bin, o.Agent)), os.Symlink(exe, s.home.Binary()),
		shipdir.WriteJSON(s.home.Secrets(), secrets), os.WriteFile(s.home.Path("tmux.conf"), []byte(provision.TmuxConf), 0o644),
		shipdir.WriteJSON(s.home.Ship(), is),
	)
}

func (s *stage) work() string { return filepath.Join(string(s.home), "voyage", "workspace") }

// put writes a file into the workspace.
func (s *stage) put(name, text string) error {
	file := filepath.Join(s.work(), name)
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
}

// has reports whether a file of the workspace contains a text.
func (s *stage) has(name, text string) bool {
	raw, err := os.ReadFile(filepath.Join(s.work(), name))
	return err == nil && strings.Contains(string(raw), text)
}

// open connects helm with the ship and starts the ship's agent. The ship's list shows the tasks in lag as free
// although they are not.
func (s *stage) open(ctx context.Context, lag ...string) error {
	toShip, fromHelm := io.Pipe()
	toHelm, fromShip := io.Pipe()
	s.done = make(chan error, 1)
	go func() { s.done <- serve.Run(context.WithoutCancel(ctx), string(s.home), toShip, fromShip) }()
	s.conn = wire.New(&pipes{toHelm, fromHelm}, wire.Options{Handlers: s.helm.Handlers()})
	err := s.until(ctx, patience, func() bool {
		return shipdir.AskOnce(ctx, s.home, shipdir.MethodHeard, shipdir.Heard{}, nil) == nil
	})
	if err != nil {
		return fmt.Errorf("the ship's server does not answer: %w", err)
	}
	var all []tasks.Task
	s.helm.Change(func() {
		for _, t := range s.helm.Tasks {
			for _, id := range lag {
				if t.ID == id {
					t.Owner, t.Status = "", tasks.Pending
				}
			}
			all = append(all, t)
		}
	})
	if err := s.conn.Call(ctx, proto.MethodTasks, proto.TaskUpdate{Full: true, Tasks: all}, nil); err != nil {
		return err
	}
	out, err := s.tmux(ctx, "new-session", "-d", "-s", "ship", "-x", "200", "-y", "50", s.exe, "aboard", "run").CombinedOutput()
	if err != nil {
		return fmt.Errorf("tmux: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// verdict returns what the agent should do now.
func (s *stage) verdict() proto.Verdict {
	if s.rests {
		return proto.Verdict{Act: proto.ActRest, Why: "the trial says so"}
	}
	if id := s.helm.Ready(); id != "" {
		return proto.Verdict{Act: proto.ActClaim, Ready: []string{id}}
	}
	return proto.Verdict{}
}

// veto refuses a completion once, as helm does for a conflict.
func (s *stage) veto(r proto.CompleteRequest) error {
	s.helm.Mu.Lock()
	defer s.helm.Mu.Unlock()
	why := s.vetoes[r.Task]
	if why == "" {
		return nil
	}
	delete(s.vetoes, r.Task)
	return &wire.Error{Code: proto.CodeConflict, Text: why}
}

// asked reports whether the ship asked to claim a task.
func (s *stage) asked(id string) bool {
	s.helm.Mu.Lock()
	defer s.helm.Mu.Unlock()
	return slices.Contains(s.helm.Asked, id)
}

// add gives the ship one more task.
func (s *stage) add(ctx context.Context, t tasks.Task) error {
	s.helm.Change(func() { s.helm.Tasks[t.ID] = t })
	return s.conn.Call(ctx, proto.MethodTasks, proto.TaskUpdate{Tasks: []tasks.Task{t}}, nil)
}

// close ends all processes of the stage and removes its home.
func (s *stage) close() {
	if s.conn != nil {
		var r shipdir.Running
		_ = shipdir.ReadJSON(s.home.Run(), &r)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = s.tmux(ctx, "kill-server").Run()
		_ = s.until(ctx, patience, func() bool { return !r.Runner.Alive() && !r.Agent.Alive() })
		_ = s.conn.Close()
		<-s.done //nolint:errcheck // only that it ended matters
		s.conn.Wait()
	}
	_ = os.RemoveAll(string(s.home))
}

// tmux returns a command for the ship's tmux server.
func (s *stage) tmux(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-u", "-f", s.home.Path("tmux.conf"), "-L", shipdir.TmuxServer}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+string(s.home), "TMUX_TMPDIR="+string(s.home), "TMUX=", "SHELL=/bin/sh", "ENV=", "TERM=xterm-256color")
	cmd.WaitDelay = time.Second
	return cmd
}

// screen returns the last lines of the agent's terminal, joined into one.
func (s *stage) screen(ctx context.Context) string {
	out, _ := s.tmux(ctx, "capture-pane", "-p", "-t", "ship").Output()
	var lines []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	text := strings.Join(lines[max(0, len(lines)-8):], " / ")
	if text == "" {
		return "its screen is empty"
	}
	return "its screen shows: " + text
}

// until polls done until it returns true.
func (s *stage) until(ctx context.Context, patience time.Duration, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return retry.Until(ctx, func() (bool, error) { return done(), nil })
}

// pipes holds both ends of a connection.
type pipes struct {
	io.Reader
	io.WriteCloser
}
