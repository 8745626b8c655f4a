package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/walls"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// VerifyTime bounds one run of verify.sh, and checkTime one run of a task's own check.
const (
	VerifyTime = 30 * time.Minute
	checkTime  = 10 * time.Minute
)

var errCheckTime = fmt.Errorf("it took longer than %s", checkTime)

// RunVerify runs a verify.sh in a clean checkout of a commit. The caller holds the ship's tree.
func (s *Ship) RunVerify(ctx context.Context, commit string, script []byte) (fleet.Verify, error) {
	result := fleet.Verify{Commit: commit, Ship: s.Name}
	err := s.c.Work.Clean(ctx, s, commit, func(dir string) error {
		limit, cancel := context.WithTimeout(ctx, VerifyTime)
		defer cancel()
		out, err := s.Check(limit, dir, "", script)
		result.At = time.Now()
		var exit *link.ExitError
		switch {
		case err == nil:
			result.Passed = true
		case errors.As(err, &exit):
		case errors.Is(err, link.ErrOutput):
			out += "\nocaptain: it printed too much and was ended"
		case limit.Err() != nil && ctx.Err() == nil:
			out += fmt.Sprintf("\nocaptain: it did not end within %s", VerifyTime)
		default:
			return err
		}
		result.Output = clean.Tail(clean.Bound(out, 1<<20), 64<<10)
		return nil
	})
	if err != nil && ctx.Err() == nil && s.Context.Err() == nil && !errors.As(err, new(*sync.Hindered)) {
		s.HasTrouble("", err.Error()) // another ship may be able to run checks
	}
	return result, err
}

// TaskCheck returns a function that runs a task's own check on the merged commit, nil for a task without a check.
func (s *Ship) TaskCheck(t *tasks.State) func(ctx context.Context, commit string) error {
	if t.Verify() == "" {
		return nil
	}
	return func(ctx context.Context, commit string) error {
		ctx, cancel := context.WithTimeoutCause(ctx, checkTime, errCheckTime)
		defer cancel()
		return s.c.Work.Clean(ctx, s, commit, func(dir string) error {
			out, err := s.Check(ctx, dir, t.Verify(), nil)
			if err == nil {
				return nil
			}
			if errors.Is(context.Cause(ctx), errCheckTime) {
				err = errCheckTime
			}
			return &wire.Error{Code: proto.CodeCheck, Text: fmt.Sprintf(
				"the check of task %s failed: %s\n%s\nThe check is: %s", t.ID, err, clean.Tail(out, 4000), t.Verify())}
		})
	}
}

// inClean runs a shell command, or a script, behind walls in a clean checkout on the ship and returns what it printed, without secrets.
func (s *Ship) inClean(ctx context.Context, dir, command string, script []byte) (string, error) {
	out := &tail{}
	cmd, word := walls.Check(dir, command, script)
	cmd.Stdout, cmd.MaxOutput = out, 64<<20
	_, err := s.Reach.Link().BulkLane().Run(ctx, cmd)
	said, passed := strings.CutSuffix(out.buf.String(), word)
	if err == nil && !passed {
		err = &link.ExitError{Name: s.Name, Command: "check", Code: 1, Stderr: "its shell ended before the check did"}
	}
	return s.c.Secrets.Redact(said), err
}

// tail keeps the last part of what is written.
type tail struct{ buf bytes.Buffer }

func (k *tail) Write(p []byte) (int, error) {
	const most = 256 << 10
	k.buf.Write(p)
	if k.buf.Len() > 2*most {
		k.buf.Next(k.buf.Len() - most)
	}
	return len(p), nil
}
