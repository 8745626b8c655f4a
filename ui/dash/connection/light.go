package connection

import (
	"context"
	"sync"
)

// light is on while helm is known to run. Any goroutine may wait for it.
type light struct {
	mu sync.Mutex
	on chan struct{} // closed while the light is on
}

// set turns the light on or off.
func (l *light) set(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.on:
		if !on {
			l.on = make(chan struct{})
		}
	default:
		if on {
			close(l.on)
		}
	}
}

// wait returns true when the light is on, false when ctx ends before.
func (l *light) wait(ctx context.Context) bool {
	l.mu.Lock()
	on := l.on
	l.mu.Unlock()
	select {
	case <-on:
		return true
	case <-ctx.Done():
		return false
	}
}
