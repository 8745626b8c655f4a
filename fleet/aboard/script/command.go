package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// runCommand runs a command of the task in the workspace. Nothing that it started is left.
func (s *worker) runCommand(ctx context.Context, g proto.Grant, command string) error {
	t := g.Task
	out := &lines{line: func(text string) { s.book.Log("out", text, t.ID) }, tee: s.out}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = s.ship.Workspace
	cmd.Env = append(os.Environ(), "HOME="+string(s.home), "OCAPTAIN_SHIP="+s.ship.Name,
		"OCAPTAIN_VOYAGE="+s.ship.Voyage, "OCAPTAIN_TASK="+t.ID)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second // for what it left in the background with its output open
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("its command could not be started: %w", err)
	}
	_ = shipdir.WriteJSON(s.home.Command(), shipdir.Identify(cmd.Process.Pid))
	end := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stop := context.AfterFunc(ctx, end)
	defer stop()
	if s.claimLost(g) { // just now: who ended its command did not see this one
		end()
	}
	err := cmd.Wait()
	end()
	_ = os.Remove(s.home.Command())
	out.flush()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the command itself ended well
	}
	if err != nil {
		return fmt.Errorf("its command failed with %s%s", shipdir.HowEnded(err).HowText(), out.lastLines())
	}
	return nil
}

// The bounds of what goes to the log of one command.
const (
	maxLines = 2000
	maxLine  = 2 << 10
)

// lines cuts output into lines, passes on the first ones and remembers the last ones.
type lines struct {
	mu    sync.Mutex
	line  func(string)
	tee   interface{ Write([]byte) (int, error) }
	part  []byte
	count int
	tail  []string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.tee.Write(p)
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			l.keepPart(rest)
			break
		}
		l.keepPart(rest[:end])
		l.endLine()
		rest = rest[end+1:]
	}
	return len(p), nil
}

// keepPart adds to the line, as far as it is shown.
func (l *lines) keepPart(p []byte) {
	l.part = append(l.part, p[:min(len(p), maxLine+1-len(l.part))]...)
}

// endLine ends the line.
func (l *lines) endLine() {
	text := shipdir.Cut(string(bytes.TrimRight(l.part, "\r")), maxLine)
	l.part = l.part[:0]
	l.count++
	switch {
	case l.count <= maxLines:
		l.line(text)
	case l.count == maxLines+1:
		l.line(fmt.Sprintf("… more than %d lines: the rest is not logged", maxLines))
	}
	if l.tail = append(l.tail, text); len(l.tail) > 5 {
		l.tail = l.tail[1:]
	}
}

func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.part) > 0 {
		l.endLine()
	}
}

// lastLines returns the last lines, for an error.
func (l *lines) lastLines() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := ""
	for _, line := range l.tail {
		s += "\n" + shipdir.Cut(line, 300)
	}
	if s != "" {
		s = ":" + s
	}
	return s
}
