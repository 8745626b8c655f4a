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

// Kept is a connection that all processes of the captain share, and that ends a minute after its last use.
type Kept struct{ conn Conn }

// KeptConnection returns the Kept of that name to a place. It does not connect.
func (c *Captain) KeptConnection(p Place, name string) *Kept {
	return &Kept{Conn{captain: c, place: p, socket: filepath.Join(c.Runtime, name)}}
}

// IsUp reports whether the connection exists.
func (k *Kept) IsUp() bool {
	conn, err := net.Dial("unix", k.conn.socket)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// Connect makes the connection. Only one caller may do so at a time. Its errors are those of Captain.Connect.
func (k *Kept) Connect(ctx context.Context, options ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, k.conn.captain.patience(), retry.Late(k.conn.captain.patience()))
	defer cancel()
	options = append(options, "-o", "ControlMaster=auto", "-S", k.conn.socket, "-o", "ControlPersist=60", "-N", "-f")
	_, err := k.conn.captain.run(ctx, k.conn.place, k.conn.captain.loginArgv(k.conn.place, options...), nil, io.Discard)
	var later *provider.Temporary
	if w, e := k.conn.captain.cachedWay(ctx, k.conn.place); e == nil && !w.direct() && errors.As(err, &later) {
		// In such a connection, what hosts on the way print is lost, so look for errors there first.
		conn, e := k.conn.captain.Through(ctx, k.conn.place, nil)
		if e != nil {
			return e
		}
		conn.Close()
	}
	return err
}

// Run is Conn.Run.
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
	for { // ssh answers before the connection has ended
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
