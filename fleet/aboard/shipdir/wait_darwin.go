package shipdir

import "context"

// Wait waits until the process has ended, or ctx is done.
func (p Process) Wait(ctx context.Context) { p.waitLooking(ctx) }
