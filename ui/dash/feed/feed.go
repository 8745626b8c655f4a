// Package feed brings news to a Bubble Tea model from what runs beside it.
package feed

import (
	"context"
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// Feed is where news waits.
type Feed struct {
	ctx  context.Context
	news chan tea.Msg
}

// Size is how much news waits at the most.
const Size = 64

// News is what has come since the last one.
type News []tea.Msg

// Crash is a panic beside the model. The model panics with it in turn, so that Bubble Tea makes
// the terminal sane before anything is printed.
type Crash struct {
	value any
	stack []byte
}

func (c Crash) String() string { return fmt.Sprintf("%v\n\n%s", c.value, c.stack) }

// New returns a Feed that ends with ctx.
func New(ctx context.Context) *Feed { return &Feed{ctx, make(chan tea.Msg, Size)} }

// Run runs something beside the model.
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

// Send hands news to the model; it gives up when ctx ends.
func (f *Feed) Send(ctx context.Context, msg tea.Msg) {
	select {
	case f.news <- msg:
	case <-ctx.Done():
	}
}

// Wait brings the next news, and all that has come with it.
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
