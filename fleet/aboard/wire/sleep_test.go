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

// TestSleep lets the other end be silent for two thirds of the allowed time. Then the machine sleeps, which does not
// count as silence. An end that stays silent after that is soon given up, whatever the clock says.
func TestSleep(t *testing.T) {
	const idle = 10 * time.Second
	for name, c := range map[string]struct {
		jump    time.Duration // by which the wall clock advances
		answers bool          // whether the other end answers, 12 s later
		dies    time.Duration // the latest time after that at which the connection ends; 0 if it does not
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
