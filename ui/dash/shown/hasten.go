package shown

import (
	"runtime/debug"
	"sync"
)

// hurry is how much memory the dashboard may use before the first screen without collecting garbage.
const hurry = 256 << 20

// thrift is the percentage by which memory may grow between collections after the first screen. The dashboard reads a
// large voyage again at each change, and most of what it holds is the past.
const thrift = 50

// Hasten puts off garbage collection until the first screen, as nearly everything that is read for it stays in use.
// collect switches collection on. Without a voyage to show at once, Hasten and collect do nothing.
func Hasten(voyage bool) (collect func()) {
	if !voyage {
		return func() {}
	}
	debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(hurry)
	return sync.OnceFunc(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(thrift)
	})
}
