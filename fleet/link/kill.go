package link

import (
	"context"
	"fmt"
	"time"
)

// killGroup ends a process group of the ship with a command of its own. Only one such command runs at a time, since
// the connection has one spare session.
func (c *conn) killGroup(pid int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	select {
	case c.killing <- struct{}{}:
		defer func() { <-c.killing }()
	case <-c.dead:
		return
	case <-ctx.Done():
		return
	}
	killer, err := c.session(ctx)
	if err != nil {
		return
	}
	defer killer.Close()
	defer context.AfterFunc(ctx, func() { killer.Close() })()
	// An error is ignored, since the group may have ended meanwhile.
	_ = killer.Run(fmt.Sprintf(`exec 2>/dev/null; kill -s TERM -- -%[1]d
for i in 1 2 3 4 5 6 7 8 9 10; do kill -s 0 -- -%[1]d || exit; sleep 0.1; done
kill -s KILL -- -%[1]d`, pid))
}
