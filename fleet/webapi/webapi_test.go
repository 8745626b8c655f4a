package webapi_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ocaptain/fleet/webapi"
	"ocaptain/tasks/eventually"
)

func TestPause(t *testing.T) {
	p := webapi.Patience{Least: time.Millisecond, Most: 4 * time.Millisecond}
	for n := 1; n < 20; n++ {
		if err := p.Pause(t.Context(), n, 0); err != nil {
			t.Fatal(err)
		}
	}
	ctx := eventually.Brief(t, time.Minute)
	if err := p.Pause(ctx, 1, time.Hour); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		t.Errorf("a wait that cannot end in time: %v", err)
	}
}

func TestAfter(t *testing.T) {
	for _, tt := range []struct {
		seconds float64
		header  string
		want    time.Duration
	}{{0, "", 0}, {0, " 2 ", 2 * time.Second}, {3, "2", 3 * time.Second}, {-1, "NaN", 0}, {0, "1e9", time.Hour}, {0, "soon", 0}} {
		if got := webapi.RetryAfter(tt.seconds, tt.header); got != tt.want {
			t.Errorf("%v, %q: %s", tt.seconds, tt.header, got)
		}
	}
}

func TestLine(t *testing.T) {
	if line := webapi.ShortLine("key … \n\r two: EOF", 14); line != "key … two" {
		t.Errorf("%q", line)
	}
}
