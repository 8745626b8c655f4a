package live

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestNoticePause counts the notices of a ship that prints all the time: while the captain watches, and while he types.
func TestNoticePause(t *testing.T) {
	for name, c := range map[string]struct {
		keyEvery    time.Duration // 0 for no keys
		least, most int64         // notices in a second
	}{
		"watches":            {0, 10, 12},
		"types":              {200 * time.Millisecond, 110, 120},
		"types now and then": {900 * time.Millisecond, 75, 90},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var notices atomic.Int64
				v := NewViews("voyage", nil, func() { notices.Add(1) })
				defer v.Close()
				for at := time.Duration(0); at < time.Second; at += time.Millisecond {
					if c.keyEvery > 0 && at%c.keyEvery == 0 {
						v.typed.Store(time.Now().UnixNano())
						v.keyed.Send()
					}
					v.changed()
					time.Sleep(time.Millisecond)
					synctest.Wait()
				}
				if n := notices.Load(); n < c.least || n > c.most {
					t.Errorf("%d notices, want %d to %d", n, c.least, c.most)
				}
				time.Sleep(time.Minute) // until the last notice has come
				before := notices.Load()
				time.Sleep(time.Hour)
				if n := notices.Load() - before; n > 0 {
					t.Errorf("%d notices while nothing changed", n)
				}
			})
		})
	}
}

// TestKeyEndsPause checks that the echo of the first key is not drawn later because the captain watched before.
func TestKeyEndsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		notices := make(chan time.Time, 2)
		v := NewViews("voyage", nil, func() { notices <- time.Now() })
		defer v.Close()
		v.changed()
		<-notices
		key := time.Now()
		v.typed.Store(key.UnixNano())
		v.keyed.Send()
		v.changed()
		if late := (<-notices).Sub(key); late > 5*time.Millisecond {
			t.Errorf("the echo is drawn %v after the key", late)
		}
	})
}
