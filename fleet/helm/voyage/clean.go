package voyage

import (
	"bytes"
	"context"
	"strings"

	"ocaptain/fleet/link"
	"ocaptain/fleet/walls"
)

// inClean runs a shell command, or a script, behind walls in a clean checkout on the ship and returns what it printed, without secrets.
func (s *Ship) inClean(ctx context.Context, dir, command string, script []byte) (string, error) {
	out := &keepEnd{}
	cmd, word := walls.Check(dir, command, script)
	cmd.Stdout, cmd.MaxOutput = out, 64<<20
	_, err := s.reach.Link().BulkLane().Run(ctx, cmd)
	said, passed := strings.CutSuffix(out.buf.String(), word)
	if err == nil && !passed {
		err = &link.ExitError{Name: s.name, Command: "check", Code: 1, Stderr: "its shell ended before the check did"}
	}
	return s.v.Secrets.Redact(said), err
}

// keepEnd keeps the last part of what is written.
type keepEnd struct{ buf bytes.Buffer }

func (k *keepEnd) Write(p []byte) (int, error) {
	const most = 256 << 10
	k.buf.Write(p)
	if k.buf.Len() > 2*most {
		k.buf.Next(k.buf.Len() - most)
	}
	return len(p), nil
}
