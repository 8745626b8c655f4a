package resolve

import "time"

// quietAfter is the silence after which a step of fitting out is said to wait.
const quietAfter = 5 * time.Second

// fitting tells how far a ship is that is fitted out, and what it waits for.
func fitting(k Known) string {
	waits := AwaitText(k.Awaits, k.Quiet)
	if k.Ship.Waits != "" {
		waits = "waits: " + k.Ship.Waits
		if k.Quiet >= quietAfter {
			waits += "; nothing new for " + timeLeft(k.Quiet)
		}
	}
	if k.Ship.Step == "" || waits == "" {
		return k.Ship.Step + waits
	}
	return k.Ship.Step + " " + waits
}

// AwaitText says what a step of fitting out waits for, once it has got no answer for long; "" before that.
func AwaitText(awaits string, quiet time.Duration) string {
	if awaits == "" || quiet < quietAfter {
		return ""
	}
	return "waits for " + awaits + ", " + timeLeft(quiet) + " without an answer"
}
