package changes

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/sync/bounded"
)

// ErrNoGit means that git is not installed.
var ErrNoGit = errors.New("git is not there; install it, for example with: sudo apt-get install git")

// shut keeps git from running anything that a repository's content asks for. The captain's own
// settings do not apply either, because a .gitattributes file from a ship would activate filters
// and drivers in them.
var shut = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.attributesFile=/dev/null", "-c", "core.fsmonitor=false",
	"-c", "submodule.recurse=false", "-c", "protocol.ext.allow=never", "-c", "core.quotePath=false", "-c", "core.protectNTFS=true",
	"-c", "log.showSignature=false",
}

// GitCommand returns a git command that is safe on content from ships. It ends with ctx.
func GitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(append([]string{}, shut...), args...)...)
	cmd.Dir = dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_PAGER=cat", "LC_ALL=C")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// Limits of git's output, in bytes.
const (
	maxOutput = 32 << 20
	maxSaid   = 16 << 10 // bytes of an error message
)

// Output runs git and returns what it prints, without the last line end.
func Output(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := GitCommand(ctx, dir, args...)
	out, said := bounded.Refuse(maxOutput), bounded.NewOutput(maxSaid)
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Run()
	if out.IsOver() {
		return "", fmt.Errorf("git %s: the answer is larger than %d MB", args[0], maxOutput>>20)
	}
	if err != nil {
		return "", gitError(ctx, args[0], said.String(), err)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// stream runs git and calls read on its output. If read fails, stream ends git and returns the error.
func stream(ctx context.Context, dir string, args []string, read func(*bufio.Reader) error) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	git, said := GitCommand(running, dir, args...), bounded.NewOutput(maxSaid)
	git.Stderr = said
	pipe, err := git.StdoutPipe()
	if err != nil {
		return err
	}
	if err := git.Start(); err != nil {
		return gitError(ctx, args[0], "", err)
	}
	shown := read(bufio.NewReaderSize(pipe, 64<<10))
	if shown != nil {
		stop()
	}
	err = git.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case shown != nil:
		return shown
	case err != nil:
		return gitError(ctx, args[0], said.String(), err)
	}
	return nil
}

// gitError says in one line why git failed.
func gitError(ctx context.Context, verb, said string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return ErrNoGit
	}
	said = strings.TrimSpace(said)
	if last := clean.Line(said[strings.LastIndexByte(said, '\n')+1:]); last != "" {
		return fmt.Errorf("git %s: %s", verb, last)
	}
	return fmt.Errorf("git %s: %w", verb, err)
}
