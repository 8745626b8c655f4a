package sprites

import "time"

// Tests try again sooner: what a fake refuses it refuses a number of times, whenever it is asked.
func init() { patience.Least = 20 * time.Millisecond }
