package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// lull is how long nothing may come from a side that cannot be told that the input has ended.
const lull = 10 * time.Second

// copyBothWays carries bytes both ways until the far side has said all. That the near side has said all is told to
// the far one, where the way there allows it; else what the far one still says is awaited until there is a lull.
func copyBothWays(ctx context.Context, far net.Conn, in io.Reader, out io.Writer, lull time.Duration) error {
	defer context.AfterFunc(ctx, func() { far.Close() })()
	p := &patient{Conn: far, lull: lull}
	go func() {
		_, _ = io.Copy(far, in)
		if half, ok := far.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
			p.ended.Store(true)
			p.wait()
		}
	}()
	_, err := io.Copy(out, p)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the input has ended, which the other side cannot be told on this way, and nothing came from there for %s", lull)
	case errors.Is(err, net.ErrClosed):
		return nil
	}
	return err
}

// patient is a connection whose reads are bounded once it has ended.
type patient struct {
	net.Conn
	lull  time.Duration
	ended atomic.Bool
}

func (p *patient) wait() { _ = p.SetReadDeadline(time.Now().Add(p.lull)) }

func (p *patient) Read(b []byte) (int, error) {
	if p.ended.Load() {
		p.wait()
	}
	return p.Conn.Read(b)
}
