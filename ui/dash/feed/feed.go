// Package feed sends news from other goroutines to a Bubble Tea model.
package feed

import (
	"context"
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// Feed is a queue of news.
type Feed struct {
	ctx  context.Context
	news chan tea.Msg
}

// Size is the capacity of the queue.
const Size = 64

// News is all messages since the last News.
type News []tea.Msg

// Crash is a panic of another goroutine. The model panics with it in turn, so that Bubble Tea restores the terminal
// before anything is printed.
type Crash struct {
	value any
	stack []byte
}

func (c Crash) String() string { return fmt.Sprintf("%v\n\n%s", c.value, c.stack) }

// New returns a Feed that ends with ctx.
func New(ctx context.Context) *Feed { return &Feed{ctx, make(chan tea.Msg, Size)} }

// Run calls run in a goroutine of its own.
func (f *Feed) Run(run func()) {
	go func() {
		defer func() {
			if v := recover(); v != nil {
				f.Send(f.ctx, Crash{v, debug.Stack()})
			}
		}()
		run()
	}()
}

// Send queues a message for the model; it gives up when ctx ends.
func (f *Feed) Send(ctx context.Context, msg tea.Msg) {
	select {
	case f.news <- msg:
	case <-ctx.Done():
	}
}

// Wait waits for a message, and returns it with all messages that are queued behind it.
func (f *Feed) Wait() tea.Msg {
	var all News
	select {
	case n := <-f.news:
		all = append(all, n)
	case <-f.ctx.Done():
		return nil
	}
	for len(all) < cap(f.news) {
		select {
		case n := <-f.news:
			all = append(all, n)
		default:
			return all
		}
	}
	return all
}
