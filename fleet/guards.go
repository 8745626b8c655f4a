package fleet

import (
	"strings"
	"time"
)

// Guards keep a captain from an unexpected bill, and agents from giving each other orders. A voyage's guards are fixed when it sails.
// Helm enforces them by its own clock.
//
// Ages are counted by the calendar, since a machine costs while the hub sleeps, too. Idle time counts only while helm can see the
// ship, so neither a laptop's sleep nor a lost connection makes a ship idle. A calendar that jumps makes no ship old.
type Guards struct {
	// MaxAge is the age past which helm warns of a voyage or a ship, 0 for never.
	MaxAge time.Duration `json:"max_age,omitempty"`
	// SinkOld makes helm give ships older than MaxAge no new tasks, and sink them once their work is home.
	SinkOld bool `json:"sink_old,omitempty"`
	// IdleWarning is how long a ship that costs money may be idle with nothing to claim before helm warns, 0 for never.
	IdleWarning time.Duration `json:"idle_warning,omitempty"`
	// SinkVerified makes helm sink the ships of a voyage once it is verified.
	SinkVerified bool `json:"sink_verified,omitempty"`
	// MaxCost is a sum in US dollars, 0 for any: once the voyage's agents report that they have cost as much, they begin nothing more. The
	// captain can change it later.
	MaxCost float64 `json:"max_cost,omitempty"`
	// StopAtMaxCost makes helm interrupt agents when MaxCost is reached; otherwise they end their turns.
	StopAtMaxCost bool `json:"stop_at_max_cost,omitempty"`
	// MaxRate is a sum in US dollars, 0 for any: when a ship's agents report that they have cost as much within an hour, they begin
	// nothing more for a while.
	MaxRate float64 `json:"max_rate,omitempty"`
	// Steering says what happens to work that changes files which steer agents: one of flag, ask, deny; "" means flag.
	Steering string `json:"steering,omitempty"`
	// Prices are US dollars per hour of a ship, by provider, as the captain set them.
	Prices map[string]float64 `json:"prices,omitempty"`
}

// AgeAt returns for how long the ship's machine has existed or been requested, by the calendar.
func (s *Ship) AgeAt(now time.Time) time.Duration { return Age(now, s.Created) }

// Age returns the time from since to now by the calendar, 0 when since is zero or later than now.
func Age(now, since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return max(0, now.Round(0).Sub(since.Round(0))) // drop the monotonic clock, which stands still while the hub sleeps
}

// Looked records that helm sees the ship with status is. seen is the time since the last look in which helm could see
// it; acted says that there was any sign of work in that time.
func (s *Ship) Looked(now time.Time, seen time.Duration, is Word, acted bool) {
	switch {
	case is == Working || acted:
		s.Worked, s.Idle = now.Round(0), 0
	case is == Unreachable, is == Unknown, is == Provision:
	default:
		s.Idle += max(0, seen)
	}
}

// Bill is what ships cost in US dollars, by the prices that the captain has set. All fields are 0 if he has set none.
type Bill struct {
	Hour  float64 `json:"hour"`  // of the ships that have machines now
	SoFar float64 `json:"soFar"` // including ships that are gone
}

// AddUp returns the bill for the ships of a voyage.
func (g Guards) AddUp(now time.Time, f *Fleet) Bill {
	var b Bill
	for provider, lasted := range f.Gone {
		b.SoFar += g.Prices[provider] * lasted.Hours()
	}
	for _, s := range f.Ships {
		if s.IsOut() {
			b.Hour += g.Prices[s.Provider]
			b.SoFar += g.Prices[s.Provider] * s.AgeAt(now).Hours()
		}
	}
	return b
}

// FormatSpan writes a duration as a captain would: 8h, 1h30m.
func FormatSpan(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = strings.TrimSuffix(text, zero[1:])
		}
	}
	return text
}
