package resolve

import "time"

// quietAfter is how long a step of provisioning may be silent before the status says that it waits.
const quietAfter = 5 * time.Second

// fitting says how far the provisioning of a ship is, and what it waits for.
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

// AwaitText says what a step of provisioning waits for, once there was no answer for long; "" before that.
func AwaitText(awaits string, quiet time.Duration) string {
	if awaits == "" || quiet < quietAfter {
		return ""
	}
	return "waits for " + awaits + ", " + timeLeft(quiet) + " without an answer"
}
