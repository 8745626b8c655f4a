package pool

import "time"

// Work says for how long a worker has worked without a commit, as far as helm has seen.
type Work struct {
	Since  time.Time // when it committed last or began, moved forward by times in which it could not work
	Nudged time.Time // when helm last told it to commit, zero if not since Since
	Nudges int       // how often helm told it since Since
}

// IsDue reports whether helm should tell the worker to commit: once in every such time without a commit.
func (w Work) IsDue(now time.Time, every time.Duration) bool {
	from := w.Since
	if w.Nudged.After(from) {
		from = w.Nudged
	}
	return every > 0 && !w.Since.IsZero() && now.Sub(from) >= every
}

// Nudge is what helm tells a worker that has committed nothing for too long.
const Nudge = "You have committed nothing for a while. Commit what you have now, also when it is not finished, and go on."
