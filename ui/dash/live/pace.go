package live

import (
	"context"
	"time"
)

// While the captain only watches, the output of all ships is read at each beat, and the screen is drawn right after
// that. Each read and each drawing costs CPU, however little it brings, and text that runs through a view cannot be
// read anyway. Output after a quiet time is read and drawn at once, and so is everything while he types.
const (
	beat   = 100 * time.Millisecond
	settle = 4 * time.Millisecond // from a beat to the drawing
	typing = 2 * time.Second      // how long after a key the captain counts as typing
)

// untilBeat returns the time until the next beat.
func untilBeat(sinceStart time.Duration) time.Duration { return beat - sinceStart%beat }

// readPause returns how long to wait before a ship's output is read again, given the time since the captain's last key
// and since the start.
func readPause(sinceKey, sinceStart time.Duration) time.Duration {
	if sinceKey < typing {
		return 0
	}
	return untilBeat(sinceStart)
}

// noticePause returns how long to wait before the next notice in the same way. Right after a key it is short, so that
// the echo need not wait.
func noticePause(sinceKey, sinceStart time.Duration) time.Duration {
	switch {
	case sinceKey < 60*time.Millisecond:
		return 4 * time.Millisecond
	case sinceKey < typing:
		return time.Second / 60
	}
	return untilBeat(sinceStart - settle)
}

// flow is how much a ship sends.
type flow struct {
	beat         int64 // number of the present beat
	before, came int   // bytes in the beat before, and so far in this one
}

// flood is how many bytes from one beat to the next are read without a pause: a connection may hold no more, and then
// the ship's output would be shown ever later.
const flood = 8 << 10

// add returns the flow after another n bytes.
func (f flow) add(sinceStart time.Duration, n int) flow {
	now := int64(sinceStart / beat)
	switch now {
	case f.beat:
		f.came += n
	case f.beat + 1:
		f.before, f.came = f.came, n
	default:
		f.before, f.came = 0, n
	}
	f.beat = now
	return f
}

// isFlood reports whether the ship sends too much for pauses.
func (f flow) isFlood() bool { return max(f.before, f.came) >= flood }

// pace waits before the ship's output is read again, after n bytes.
func (p *picture) pace(ctx context.Context, n int) {
	for {
		hurry := p.views.hurry.Next()
		pause := p.pauseAfter(n)
		if pause == 0 {
			return
		}
		n = 0
		select {
		case <-time.After(pause):
			return
		case <-hurry:
		case <-ctx.Done():
			return
		}
	}
}

// pauseAfter returns how long to wait after n bytes. Before the picture is shown, and while others use the link, there
// is no pause.
func (p *picture) pauseAfter(n int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	sinceKey, sinceStart := p.views.times()
	p.flow = p.flow.add(sinceStart, n)
	if !p.shown || p.users > 0 || p.flow.isFlood() {
		return 0
	}
	return readPause(sinceKey, sinceStart)
}

// times returns how long ago the captain typed, and the views began.
func (v *Views) times() (sinceKey, sinceStart time.Duration) {
	return time.Since(time.Unix(0, v.typed.Load())), time.Since(v.began)
}

// noteKey notes that the captain has typed.
func (v *Views) noteKey() {
	v.typed.Store(time.Now().UnixNano())
	v.hurry.Send()
}

// passChanges passes changes on to notify, with a pause after each notice.
func (v *Views) passChanges(notify func()) {
	for {
		select {
		case <-v.dirty:
		case <-v.ctx.Done():
			return
		}
		notify()
		if !v.pause() {
			return
		}
	}
}

// pause waits until the next notice is due. It returns false when the views are closed.
func (v *Views) pause() bool {
	for {
		hurry := v.hurry.Next()
		select {
		case <-time.After(noticePause(v.times())):
			return true
		case <-hurry: // the pause may be shorter now
		case <-v.ctx.Done():
			return false
		}
	}
}
