package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/need"
	"ocaptain/sync/bounded"
)

// maxSaid bounds what is kept of what the command prints, in bytes, and of the line of it that is told, in characters.
const maxSaid, maxTold = 4 << 10, 200

// Command tells the captain of a need. It is his own.
type Command struct {
	Argv []string
	Dir  string        // where it is started
	Most time.Duration // that it may take
}

// Run runs the command once. The need is on its standard input, as one object of JSON, and nowhere else: its words may be those
// of a ship. Nothing that the command started is left.
func (c Command) Run(ctx context.Context, n *need.Need) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, c.Most)
	defer cancel()
	said := bounded.NewEnd(maxSaid)
	cmd := exec.CommandContext(limit, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, bytes.NewReader(append(clean.JSON(raw), '\n')), said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = end, time.Second
	if err = cmd.Start(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%q cannot be started: %w", c.Argv[0], err)
	}
	if err == nil { // else the time was up before it began
		err = cmd.Wait()
		_ = end()
	}
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // what it left behind had its output open
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limit.Err() != nil:
		err = fmt.Errorf("it did not end within %s", c.Most)
	}
	if line := lastLine(said.String()); line != "" {
		return fmt.Errorf("%q: %w: %s", c.Argv[0], err, line)
	}
	return fmt.Errorf("%q: %w", c.Argv[0], err)
}

// lastLine is the last line of what a command said.
func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	line := []rune(clean.Line(lines[len(lines)-1]))
	return string(line[:min(len(line), maxTold)])
}
