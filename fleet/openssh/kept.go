package openssh

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
	"ocaptain/tasks/watch"
)

// Kept is a connection that the captain's processes share, and that ends a minute after its last use.
type Kept struct{ conn Conn }

// KeptConnection names a connection to a place. It connects nowhere.
func (c *Captain) KeptConnection(p Place, name string) *Kept {
	return &Kept{Conn{captain: c, place: p, socket: filepath.Join(c.Runtime, name)}}
}

// IsUp reports whether it is there.
func (k *Kept) IsUp() bool {
	conn, err := net.Dial("unix", k.conn.socket)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// Connect makes it. Two must not do that at the same time. Errors are as those of Captain.Connect.
func (k *Kept) Connect(ctx context.Context, options ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, k.conn.captain.patience(), retry.Late(k.conn.captain.patience()))
	defer cancel()
	options = append(options, "-o", "ControlMaster=auto", "-S", k.conn.socket, "-o", "ControlPersist=60", "-N", "-f")
	_, err := k.conn.captain.run(ctx, k.conn.place, k.conn.captain.loginArgv(k.conn.place, options...), nil, io.Discard)
	var later *provider.Temporary
	if w, e := k.conn.captain.cachedWay(ctx, k.conn.place); e == nil && !w.direct() && errors.As(err, &later) {
		// Such a connection drops what is said on the way.
		conn, e := k.conn.captain.Through(ctx, k.conn.place, nil)
		if e != nil {
			return e
		}
		conn.Close()
	}
	return err
}

// Run is that of Conn.
func (k *Kept) Run(ctx context.Context, command string, in io.Reader, out io.Writer) (errs string, err error) {
	return k.conn.Run(ctx, command, in, out)
}

// Close ends the connection for all processes.
func (k *Kept) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if !k.IsUp() {
		return
	}
	changes := watch.New()
	defer changes.Close()
	unseen := changes.Add(filepath.Dir(k.conn.socket))
	if _, err := k.conn.captain.run(ctx, k.conn.place, k.conn.shares("-O", "exit"), nil, io.Discard); err != nil || unseen != nil {
		return
	}
	for { // it answers first
		if _, err := os.Lstat(k.conn.socket); err != nil {
			return
		}
		select {
		case <-changes.Events:
		case <-changes.Missed:
		case <-ctx.Done():
			return
		}
	}
}
