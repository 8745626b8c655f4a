package hook

import (
	"context"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// whileHeard returns a context that ends when the reader of out is gone. A killed agent no longer reads what its
// hooks print, and a hook that waits for work would otherwise run on for hours.
func whileHeard(ctx context.Context, out io.Writer) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	f, ok := out.(*os.File)
	if !ok {
		return ctx, cancel
	}
	fd := int32(f.Fd())
	go func() {
		for ctx.Err() == nil {
			// Poll reports a closed other end even if it waits for no events. The timeout lets the loop see that ctx has ended.
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
