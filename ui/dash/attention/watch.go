package attention

import (
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/ui/words"
)

// Watch remembers what the captain was told, so that each need is announced once, and once more when it has waited for
// long.
type Watch struct {
	told  map[string]told // by the id of the need
	phase fleet.Phase
}

// told is what the watch knows of a need that lasts.
type told struct {
	since time.Time // when the need began, as far as is known
	again bool      // the need was announced twice
}

// patience is how long a need waits before it is announced again.
const patience = time.Hour

// News returns the needs to announce now, and whether the voyage has just completed. Needs that exist when the watch
// begins are on the screen, and are not announced.
func (w *Watch) News(b *fleet.Board, needs *Needs, now time.Time) (news []string, completed bool) {
	first := w.told == nil
	still := make(map[string]told, len(needs.All))
	for i := range needs.All {
		n := &needs.All[i]
		is, known := w.told[n.ID()]
		if !known {
			is.since = n.Since
			if is.since.IsZero() {
				is.since = now
			}
		}
		late := !is.again && now.Sub(is.since) >= patience
		switch {
		case first:
		case !known:
			news = append(news, Text(n))
		case late:
			news = append(news, Text(n)+", for "+words.Age(now.Sub(is.since)))
		}
		is.again = is.again || late
		still[n.ID()] = is
	}
	if len(news) > 3 {
		news = append(news[:2], fmt.Sprintf("and %d more need you; ! goes to them", len(news)-2))
	}
	completed = !first && w.phase != b.Phase && b.Phase == fleet.Complete
	w.told, w.phase = still, b.Phase
	return news, completed
}
