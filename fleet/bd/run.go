package bd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/sync/bounded"
)

// Limits of bd's output in bytes and, for what is shown of it, in characters.
const maxRead, maxSaid, maxTold = 64 << 10, 4 << 10, 200

// run runs bd once and returns its output. It kills all processes that bd has left behind.
func (d Database) run(ctx context.Context, program string, args ...string) ([]byte, error) {
	limit, cancel := context.WithTimeout(ctx, d.Most)
	defer cancel()
	out, said := bounded.NewOutput(maxRead), bounded.NewEnd(maxSaid)
	cmd := exec.CommandContext(limit, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = d.Scratch, d.environ(), out, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = end, time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("bd cannot be started: %w", err)
	}
	err := cmd.Wait()
	_ = end()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // only a process that bd left behind still had its output open
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limit.Err() != nil:
		err = fmt.Errorf("it did not end within %s", d.Most)
	}
	if text := firstLine(said.String()); text != "" {
		return nil, fmt.Errorf("bd: %w: %s", err, text)
	}
	return nil, fmt.Errorf("bd: %w", err)
}

// environ returns the environment for bd: without a daemon, without hooks and without helm's own variables.
func (d Database) environ() []string {
	own := filepath.Join(d.Scratch, ".beads")
	env := []string{
		"BEADS_DIR=" + own, "BEADS_NO_DAEMON=1", "BD_NO_DAEMON=1", "BD_NO_HOOKS=1", "BD_EXPORT_AUTO=false",
		"BEADS_SKIP_IDENTITY_CHECK=1", // do not compare the project with the one in metadata.json
		"BEADS_ACTOR=captain", "BD_ACTOR=captain", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(d.Scratch),
	}
	for _, name := range []string{"PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR"} { // XDG_CACHE_HOME, as bd caches what it has compiled
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// firstLine returns the first line of bd's output that is not blank and not a warning.
func firstLine(said string) string {
	for line := range strings.Lines(said) {
		text := []rune(strings.TrimSpace(clean.Line(line)))
		if len(text) > 0 && !strings.HasPrefix(strings.ToLower(string(text)), "warning:") {
			return string(text[:min(len(text), maxTold)])
		}
	}
	return ""
}
