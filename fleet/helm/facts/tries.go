package facts

import "time"

// The shortest and the longest pause between two tries.
const (
	firstPause = 15 * time.Second
	mostPause  = 10 * time.Minute
)

// PauseAfter returns how long to wait after tries failed tries in a row. luck, from 0 to 1, spreads ships over time.
func PauseAfter(tries int, luck float64) time.Duration {
	d := min(mostPause, firstPause<<min(max(tries, 0), 10))
	return time.Duration(float64(d) * (0.8 + 0.4*luck))
}
