package trees

import (
	"fmt"
	"time"
)

// Limits of deletions beyond which helm asks the captain.
const (
	mostGone  = 500 // files within the time goneSpan
	goneSpan  = time.Minute
	leastHalf = 20 // files; in a small tree, half of it is soon gone
)

// Deletions are the recent deletions in a tree.
type Deletions struct{ lately []deletion }

type deletion struct {
	at    time.Time
	files int
}

// Add records that gone of a tree's files were deleted, and returns what to ask the captain, "" for nothing.
func (d *Deletions) Add(now time.Time, gone, files int) string {
	sum, kept := gone, []deletion{}
	for _, was := range d.lately {
		if now.Sub(was.at) < goneSpan {
			sum, kept = sum+was.files, append(kept, was)
		}
	}
	d.lately = append(kept, deletion{now, gone})
	switch {
	case gone >= leastHalf && 2*gone > files:
		return fmt.Sprintf("%d of %d files went away at once", gone, files)
	case sum > mostGone:
		return fmt.Sprintf("%d files went away within a minute", sum)
	}
	return ""
}
