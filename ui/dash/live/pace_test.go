package live

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ocaptain/fleet/link"
)

func TestPauses(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct{ sinceKey, sinceStart, read, notice time.Duration }{
		"never typed":           {1000 * time.Hour, 7*beat + 20*ms, beat - 20*ms, beat - 16*ms},
		"at a beat":             {1000 * time.Hour, 7 * beat, beat, 4 * ms},
		"after the drawing":     {1000 * time.Hour, 7*beat + settle, beat - settle, beat},
		"just typed":            {10 * ms, 7*beat + 20*ms, 0, 4 * ms},
		"typed in this second":  {500 * ms, 7*beat + 20*ms, 0, time.Second / 60},
		"typed two seconds ago": {2 * time.Second, 7*beat + 20*ms, beat - 20*ms, beat - 16*ms},
	} {
		if got := readPause(c.sinceKey, c.sinceStart); got != c.read {
			t.Errorf("%s: output is read after %v, want %v", name, got, c.read)
		}
		if got := noticePause(c.sinceKey, c.sinceStart); got != c.notice {
			t.Errorf("%s: the notice comes after %v, want %v", name, got, c.notice)
		}
	}
}

func TestFlow(t *testing.T) {
	type came struct {
		beats float64 // since the start
		n     int
	}
	for name, c := range map[string]struct {
		came  []came
		flood bool
	}{
		"little":                     {[]came{{1.1, 100}, {2, 3000}, {3, 3000}}, false},
		"much at once":               {[]came{{1.1, flood}}, true},
		"much in small parts":        {[]came{{1.1, flood / 2}, {1.2, flood / 2}}, true},
		"much in the beat before":    {[]came{{1.1, flood}, {2, 10}}, true},
		"much two beats ago":         {[]came{{1.1, flood}, {2, 10}, {3, 10}}, false},
		"much before a quiet time":   {[]came{{1.1, flood}, {9.5, 10}}, false},
		"much, but in several beats": {[]came{{1.1, flood / 2}, {2, flood / 2}, {3, flood / 2}}, false},
	} {
		var f flow
		for _, b := range c.came {
			f = f.add(time.Duration(b.beats*float64(beat)), b.n)
		}
		if f.isFlood() != c.flood {
			t.Errorf("%s: %+v, want a flood: %v", name, f, c.flood)
		}
	}
}

// TestNoticePause counts the notices of a ship that prints all the time: while the captain watches, and while he types.
func TestNoticePause(t *testing.T) {
	for name, c := range map[string]struct {
		keyEvery    time.Duration // 0 for no keys
		least, most int64         // notices in a second
	}{
		"watches":            {0, 8, 10},
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
						v.noteKey()
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
		v.noteKey()
		v.changed()
		if late := (<-notices).Sub(key); late > 5*time.Millisecond {
			t.Errorf("the echo is drawn %v after the key", late)
		}
	})
}

// TestPace checks when the output of a ship is read: it has printed a line every 5 ms since the start. The clock is that of synctest.
func TestPace(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		line        int // bytes
		least, most int // reads in 1.2 s
		change      func(*picture)
	}{
		"watched":         {80, 11, 13, nil},
		"flooding":        {4 << 10, 210, 239, nil},
		"typed to":        {80, 239, 239, func(p *picture) { p.views.noteKey() }},
		"not shown yet":   {80, 239, 239, func(p *picture) { p.shown = false }},
		"used by another": {80, 239, 239, func(p *picture) { p.users = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := NewViews("voyage", nil, func() {})
				defer v.Close()
				p := &picture{session: newSession(v, "ship-0"), shown: true}
				if c.change != nil {
					c.change(p)
				}
				start, reads, lines := time.Now(), 0, 0
				for time.Since(start) < 1200*ms {
					printed := int(time.Since(start) / (5 * ms))
					if printed == lines {
						time.Sleep(5*ms - time.Since(start)%(5*ms))
						continue
					}
					p.pace(t.Context(), c.line*(printed-lines))
					lines = printed
					reads++
				}
				if reads < c.least || reads > c.most {
					t.Errorf("%d reads, want %d to %d", reads, c.least, c.most)
				}
			})
		})
	}
}

// TestPaceEnds checks what ends a pause at once.
func TestPaceEnds(t *testing.T) {
	for name, end := range map[string]func(ctx context.Context, p *picture, cancel func()){
		"a key":              func(_ context.Context, p *picture, _ func()) { p.views.noteKey() },
		"the stream's end":   func(_ context.Context, _ *picture, cancel func()) { cancel() },
		"a user of the link": func(ctx context.Context, p *picture, _ func()) { _, _, _ = p.borrow(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				opening := func(context.Context, string) (*link.Link, error) { <-ctx.Done(); return nil, ctx.Err() }
				v := NewViews("voyage", opening, func() {})
				defer v.Close()
				p := &picture{session: newSession(v, "ship-0"), shown: true}
				defer cancel()
				start := time.Now()
				go func() {
					time.Sleep(20 * time.Millisecond)
					end(ctx, p, cancel)
				}()
				p.pace(ctx, 80)
				if took := time.Since(start); took != 20*time.Millisecond {
					t.Errorf("the pause took %v", took)
				}
			})
		})
	}
}
