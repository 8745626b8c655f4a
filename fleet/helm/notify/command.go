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

// maxSaid bounds what is kept of the command's output, in bytes, and maxTold the line of it that is shown, in
// characters.
const maxSaid, maxTold = 4 << 10, 200

// Command is the captain's own command that announces a need to him.
type Command struct {
	Argv []string
	Dir  string        // working directory
	Most time.Duration // time limit
}

// Run runs the command once. The need is on its standard input as a JSON object, and nowhere else, since its text may come from
// a ship. All processes that the command left behind are killed.
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
	if err == nil { // otherwise the time was up before the start
		err = cmd.Wait()
		_ = end()
	}
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // only a process that the command left behind still had its output open
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

// lastLine returns the last line of a command's output.
func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	line := []rune(clean.Line(lines[len(lines)-1]))
	return string(line[:min(len(line), maxTold)])
}
