// Package mutagen drives the installed Mutagen, which keeps directories on several machines the same.
//
// The package uses its own daemon and data directory, so that the captain's sessions and configuration stay
// untouched. The daemon outlives the process that started it, and keeps its sessions on disk. It reaches other
// machines by the system's ssh. ssh does not read ~/.ssh, but a configuration that Home writes, with a ProxyCommand
// for each machine.
//
// What Mutagen reports about another machine comes from that machine: this package bounds its size, and callers must
// clean it before they show it.
package mutagen

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	stdsync "sync"
	"time"

	"ocaptain/sync/bounded"
	"ocaptain/sync/whole"
)

// Home is a Mutagen daemon with its data directory.
type Home struct {
	program Program
	dir     string
	env     []string

	making stdsync.Mutex // held while Ensure looks for a session and makes one
}

// socket is the path of the daemon's socket below its data directory.
const socket = "daemon/daemon.sock"

// longest bounds the path of a socket, in bytes: every system accepts it.
const longest = 100

// Open prepares the data directory dir, and stops the daemon there if another version started it. The next command
// continues its sessions. dir must be short, for the daemon's socket; it may be a symbolic link.
func Open(ctx context.Context, p Program, dir string) (*Home, error) {
	if path := filepath.Join(dir, socket); len(path) > longest {
		return nil, fmt.Errorf("mutagen: the socket %s has a longer path than %d bytes", path, longest)
	}
	h := &Home{program: p, dir: dir}
	for _, name := range []string{"", sshDir + "/bin", sshDir + "/hosts"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	if err := h.writeWrappers(); err != nil {
		return nil, err
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "MUTAGEN_") {
			h.env = append(h.env, v)
		}
	}
	h.env = append(h.env, "MUTAGEN_DATA_DIRECTORY="+dir, "MUTAGEN_SSH_PATH="+filepath.Join(dir, sshDir, "bin"), "MUTAGEN_SSH_CONNECT_TIMEOUT=30")
	made := filepath.Join(dir, "program") // names the program that started the daemon
	if was, err := os.ReadFile(made); err == nil && string(was) == p.Path+" "+p.Version {
		return h, nil
	}
	if err := h.Stop(ctx); err != nil {
		return nil, err
	}
	return h, whole.Write(made, []byte(p.Path+" "+p.Version), 0o600)
}

// Stop ends the daemon, if it runs. Its sessions stay on disk and continue when a command starts the daemon again.
func (h *Home) Stop(ctx context.Context) error {
	if !h.isUp() {
		return nil
	}
	_, err := h.run(ctx, "daemon", "stop")
	if err != nil && !h.isUp() { // the daemon ended meanwhile
		return nil
	}
	return err
}

// isUp reports whether the daemon runs. A killed daemon leaves its socket.
func (h *Home) isUp() bool {
	conn, err := net.Dial("unix", filepath.Join(h.dir, socket))
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// mostSaid bounds the text of an error, and mostOutput the output of a command, in bytes.
const (
	mostSaid   = 2000
	mostOutput = 16 << 20
)

// Error is the error of a Mutagen command.
type Error struct {
	Command string
	Said    string // its message
	Err     error
}

func (e *Error) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("mutagen %s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("mutagen %s: %s", e.Command, e.Said)
}

func (e *Error) Unwrap() error { return e.Err }

// run runs a command, which starts the daemon if none runs, and returns its output.
func (h *Home) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := h.command(ctx, args...)
	out, said := bounded.Refuse(mostOutput), bounded.NewEnd(mostSaid)
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, &Error{strings.Join(args[:2], " "), "", context.Cause(ctx)}
	case err != nil:
		return nil, &Error{strings.Join(args[:2], " "), reason(said.String()), err}
	}
	return out.Bytes(), nil
}

func (h *Home) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.program.Path, args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = h.env, h.dir, time.Second
	return cmd
}

// reason returns the error message of a command in one line.
func reason(said string) string {
	if _, after, ok := strings.Cut(said, "Error: "); ok {
		said = after
	}
	return strings.Join(strings.FieldsFunc(said, func(c rune) bool { return c == '\n' || c == '\r' }), "; ")
}

// ErrTaken means that a directory of another machine is in a session already: two sessions would undo each other's
// work.
var ErrTaken = errors.New("the directory is in another session already")
