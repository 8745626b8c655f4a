package pool

import "time"

// Work is how long a worker has been at work without a commit, as helm has seen it.
type Work struct {
	Since  time.Time // of its last commit, or when it began; later when it could not work meanwhile
	Nudged time.Time // when it was last told to commit, zero for not since then
	Nudges int       // how often it was, since then
}

// IsDue reports whether to tell the worker to commit. The worker gets as long as every for a commit, and hears so once in that
// time.
func (w Work) IsDue(now time.Time, every time.Duration) bool {
	from := w.Since
	if w.Nudged.After(from) {
		from = w.Nudged
	}
	return every > 0 && !w.Since.IsZero() && now.Sub(from) >= every
}

// Nudge is what a worker is told that has committed nothing for too long.
const Nudge = "You have committed nothing for a while. Commit what you have now, also when it is not finished, and go on."
