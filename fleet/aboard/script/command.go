package script

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// runCommand runs a task's command in the workspace. It kills everything that the command started and left behind.
func (s *worker) runCommand(ctx context.Context, g proto.Grant, command string) error {
	t := g.Task
	out := &lines{line: func(text string) { s.book.Log("out", text, t.ID) }, tee: s.out}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = s.ship.Workspace
	cmd.Env = append(os.Environ(), "HOME="+string(s.home), "OCAPTAIN_SHIP="+s.ship.Name,
		"OCAPTAIN_VOYAGE="+s.ship.Voyage, "OCAPTAIN_TASK="+t.ID)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	printed, pipe, err := os.Pipe()
	if err != nil {
		return err
	}
	defer printed.Close()
	cmd.Stdout, cmd.Stderr = pipe, pipe
	err = cmd.Start()
	_ = pipe.Close()
	if err != nil {
		return fmt.Errorf("its command could not be started: %w", err)
	}
	ended := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() { readOutput(out, printed, ended) })
	_ = shipdir.WriteJSON(s.home.Command(), shipdir.Identify(cmd.Process.Pid))
	end := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stop := context.AfterFunc(ctx, end)
	defer stop()
	if s.claimLost(g) { // the claim was lost just now, and what ended the previous command did not see this command
		end()
	}
	err = cmd.Wait()
	end()
	close(ended)
	_ = printed.SetReadDeadline(time.Now().Add(silence))
	reading.Wait()
	_ = os.Remove(s.home.Command())
	out.flush()
	if err != nil {
		return fmt.Errorf("its command failed with %s%s", shipdir.HowEnded(err).HowText(), out.lastLines())
	}
	return nil
}

const (
	pipeSize = 64 << 10 // the capacity of a pipe on Linux and macOS, in bytes
	silence  = time.Second
)

// readOutput copies what a command prints. After the command has ended, a process of another group may still hold the output open.
// readOutput then reads what waits in the pipe, however long that takes, and stops after a silence.
func readOutput(to io.Writer, printed *os.File, ended <-chan struct{}) {
	buffer := make([]byte, 4<<10)
	for left := pipeSize; left > 0; {
		n, err := printed.Read(buffer)
		_, _ = to.Write(buffer[:n])
		if err != nil {
			return
		}
		select {
		case <-ended:
			left -= n
			_ = printed.SetReadDeadline(time.Now().Add(silence))
		default:
		}
	}
}

// Limits of what one command may write to the log.
const (
	maxLines = 2000
	maxLine  = 2 << 10
)

// lines cuts output into lines, passes on the first lines and remembers the last ones.
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

// keepPart adds a piece to the line, up to the length that is shown.
func (l *lines) keepPart(p []byte) {
	l.part = append(l.part, p[:min(len(p), maxLine+1-len(l.part))]...)
}

// endLine handles a complete line.
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
