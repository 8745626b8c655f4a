package sprites

import "time"

// Shorter pauses are fine in tests, as a fake refuses a fixed number of times.
func init() { patience.Least = 20 * time.Millisecond }
