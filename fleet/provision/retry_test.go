package provision

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// The error of a step whose time is over says how long it had, and not only that a deadline was exceeded.
func TestLateStep(t *testing.T) {
	t.Parallel()
	err := new(work).doStep(t.Context(), step{name: "reach", time: time.Millisecond, do: func(_ *work, ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "no answer came within 1ms: ") {
		t.Error(err)
	}
}
