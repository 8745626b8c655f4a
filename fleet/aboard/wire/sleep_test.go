package wire_test

import (
	"bufio"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/tasks/eventually"
)

// TestSleep has the other end silent for two thirds of what is borne. What a machine has not heard in
// its sleep after that is no silence, and what stays silent is dead soon, whatever the clock says.
func TestSleep(t *testing.T) {
	const idle = 10 * time.Second
	for name, c := range map[string]struct {
		jump    time.Duration // of the clock on the wall
		answers bool          // the other end does, 12 s later
		dies    time.Duration // at the latest, since then; 0 for never
	}{
		"asleep, and lives":       {8 * time.Hour, true, 0},
		"asleep, and is dead":     {8 * time.Hour, false, 4 * idle},
		"set back, and is dead":   {-8 * time.Hour, false, idle},
		"awake, and answers late": {0, true, idle},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var jumped atomic.Int64
				x, y := net.Pipe()
				conn := wire.New(x, wire.Options{Idle: idle}.At(func() time.Time {
					return time.Now().Add(time.Duration(jumped.Load()))
				}))
				var answers atomic.Bool
				go func() {
					for asked := bufio.NewScanner(y); asked.Scan(); {
						if answers.Load() {
							_, _ = y.Write([]byte(`{"kind":"pong"}` + "\n"))
						}
					}
				}()
				time.Sleep(2*idle + idle/2)
				jumped.Store(int64(c.jump))
				began := time.Now()
				time.AfterFunc(12*time.Second, func() { answers.Store(c.answers) })
				select {
				case <-conn.Done():
					if lived := time.Since(began); c.dies == 0 || lived > c.dies || !strings.Contains(conn.Err().Error(), "no sign of life") {
						t.Errorf("ended after %s: %v", lived, conn.Err())
					}
				case <-eventually.Later(time.Hour):
					if c.dies != 0 {
						t.Error("a dead end is taken for a living one")
					}
				}
				_, _ = y.Close(), conn.Close()
				conn.Wait()
			})
		})
	}
}
