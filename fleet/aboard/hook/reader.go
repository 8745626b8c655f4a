package hook

import (
	"context"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// whileHeard returns a context that ends when out has no reader left: a killed agent reads nothing from its hooks,
// and a hook that waits for work would run on for hours.
func whileHeard(ctx context.Context, out io.Writer) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	f, ok := out.(*os.File)
	if !ok {
		return ctx, cancel
	}
	fd := int32(f.Fd())
	go func() {
		for ctx.Err() == nil {
			// No event is asked for: that the other end is gone is always told. The limit lets this end with ctx.
			n, err := unix.Poll([]unix.PollFd{{Fd: fd}}, 1000)
			if err == nil && n > 0 {
				cancel()
			}
			if err != nil && err != unix.EINTR {
				return
			}
		}
	}()
	return ctx, cancel
}
