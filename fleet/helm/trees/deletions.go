package trees

import (
	"fmt"
	"time"
)

// Bounds on deletions beyond which the captain is asked first.
const (
	mostGone  = 500 // files within goneSpan
	goneSpan  = time.Minute
	leastHalf = 20 // files; fewer are soon half of a tree
)

// Deletions are what went away of a tree lately.
type Deletions struct{ lately []deletion }

type deletion struct {
	at    time.Time
	files int
}

// Add takes down that so many of a tree's files went away, and returns what the captain should be asked about, "" for nothing.
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
