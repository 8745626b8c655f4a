package eventually

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

func TestMovement(t *testing.T) {
	for name, tt := range map[string]struct {
		after   movement
		between time.Duration
		moves   bool
	}{
		"nothing":                         {movement{0, 7, 3}, time.Minute, false},
		"idle ships":                      {movement{600 * time.Millisecond, 7, 3}, time.Minute, false},
		"a tick":                          {movement{10 * time.Millisecond, 7, 3}, time.Millisecond, false},
		"a program computes":              {movement{100 * time.Millisecond, 7, 3}, window, true},
		"a program computes a little":     {movement{4 * time.Second, 7, 3}, time.Minute, true},
		"a process was started and ended": {movement{0, 8, 3}, window, true},
		"a process ended":                 {movement{-time.Second, 7, 2}, window, true},
	} {
		t.Run(name, func(t *testing.T) {
			long := time.Now().Add(-time.Hour)
			p := Patience{begun: long, moved: long, longest: time.Minute, most: 2 * time.Hour}
			p.add(movement{0, 7, 3}, tt.after, tt.between)
			if moves := p.Over() == nil; moves != tt.moves {
				t.Errorf("it moves: %t, want %t", moves, tt.moves)
			}
		})
	}
}

func TestCeiling(t *testing.T) {
	p := Patience{begun: time.Now().Add(-time.Hour), moved: time.Now(), longest: time.Minute, most: time.Minute}
	if p.Over() == nil {
		t.Error("it has no end while something moves")
	}
}

// A look sees the processor time of a running process, and that another process was started and has ended.
func TestLook(t *testing.T) {
	before := look()
	cmd := exec.CommandContext(Context(t), "sh", "-c", "while :; do :; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	Holds(t, "it has computed for 50 ms", func() bool { return look().spent-before.spent > 50*time.Millisecond })
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if after := look(); after.started == before.started {
		t.Errorf("%d processes were started, and %d when one more was", before.started, after.started)
	}
}

func TestReceives(t *testing.T) {
	values := make(chan int, 1)
	values <- 7
	if got := Receives(t, "a number", values); got != 7 {
		t.Errorf("it received %d", got)
	}
	close(values)
	if got := Receives(t, "the end", values); got != 0 {
		t.Errorf("it received %d from what is closed", got)
	}
}

func TestContextEnds(t *testing.T) {
	var ctx context.Context
	t.Run("test", func(t *testing.T) {
		if ctx = Context(t); ctx.Err() != nil {
			t.Error(ctx.Err())
		}
	})
	if ctx.Err() == nil {
		t.Error("it goes on after the test")
	}
}

// Thousands of open contexts share one look each second. Each context ends by its own patience.
func TestContextsAreWatchedTogether(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 1000 {
		ctx, cancel := context.WithCancelCause(t.Context())
		watched.add(ctx, &wait{Begin(), cancel})
	}
	if more := runtime.NumGoroutine() - before; more > 1 {
		t.Errorf("%d goroutines more", more)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	long := time.Now().Add(-time.Hour)
	watched.add(ctx, &wait{&Patience{begun: long, moved: long, longest: 2 * time.Hour, most: time.Minute}, cancel})
	<-ctx.Done()
	if errors.Is(context.Cause(ctx), context.Canceled) {
		t.Error("it does not say why it ended")
	}
}
