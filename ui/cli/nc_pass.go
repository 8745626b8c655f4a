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

// lull is how long the connection stays open without data from the far side, when the far side cannot be told that
// the input has ended.
const lull = 10 * time.Second

// copyBothWays copies bytes both ways until the far side ends. When the near side ends first, it closes the far
// side's input, if the connection allows that; otherwise it waits for data from the far side until there is a lull.
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

// patient is a connection whose reads time out after a lull once the input has ended.
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
