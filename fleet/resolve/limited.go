package resolve

import (
	"fmt"
	"time"
)

// limited says why an agent is stopped by a limit, and what happens next, such as "weekly limit, resets 15:00 (in
// 2h)" or "API overloaded, tried again in 40s (3rd time)".
func limited(now time.Time, k Known) string {
	s := Passing(now, k.State.Why, k.State.Until)
	switch {
	case k.TryBy != "":
		return s + ", goes on when " + k.TryBy + " can"
	case k.State.Until.After(now) || k.TryAt.IsZero():
		return s
	case k.TryAt.After(now):
		s += ", tried again in " + timeLeft(k.TryAt.Sub(now))
	default:
		s += ", tried again now"
	}
	if k.Tries > 0 {
		s += " (" + ordinal(k.Tries+1) + " time)"
	}
	return s
}

// Passing says what stops an agent and, if known, when that passes. Times are in the zone of now.
func Passing(now time.Time, why string, until time.Time) string {
	if why == "" {
		why = "a limit"
	}
	if !until.After(now) {
		return why
	}
	until = until.In(now.Location())
	at := until.Format("15:04")
	if until.Sub(now) > 20*time.Hour {
		at = until.Format("Jan 2 15:04")
	}
	return fmt.Sprintf("%s, resets %s (in %s)", why, at, timeLeft(until.Sub(now)))
}

// timeLeft writes a remaining time in its one or two largest units.
func timeLeft(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()+0.5))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()+0.5))
	case d < 10*time.Hour && int(d.Minutes())%60 > 0:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func ordinal(n int) string {
	end := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, end)
}
