package dash

import (
	"context"
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// crash is a panic in a feed. The model panics with it in turn, so that Bubble Tea makes
// the terminal sane before anything is printed.
type crash struct {
	value any
	stack []byte
}

func (c crash) String() string { return fmt.Sprintf("%v\n\n%s", c.value, c.stack) }

// feed runs a feed beside the model.
func (m *Model) feed(run func()) {
	go func() {
		defer func() {
			if v := recover(); v != nil {
				m.send(m.ctx, crash{v, debug.Stack()})
			}
		}()
		run()
	}()
}

// send hands news to the model; it gives up when ctx ends.
func (m *Model) send(ctx context.Context, msg tea.Msg) {
	select {
	case m.news <- msg:
	case <-ctx.Done():
	}
}

// wait brings the next news, and all that has come with it.
func (m *Model) wait() tea.Cmd {
	return func() tea.Msg {
		var all newsMsg
		select {
		case n := <-m.news:
			all = append(all, n)
		case <-m.ctx.Done():
			return nil
		}
		for len(all) < cap(m.news) {
			select {
			case n := <-m.news:
				all = append(all, n)
			default:
				return all
			}
		}
		return all
	}
}
