package words

import (
	"fmt"
	"time"

	"ocaptain/fleet"
)

// Costs says what ships cost at the captain's prices, "" when he has set none.
func Costs(b fleet.Bill) string {
	if b.SoFar <= 0 && b.Hour <= 0 {
		return ""
	}
	text := ""
	if b.Hour > 0 {
		text = Dollars(b.Hour) + " an hour, "
	}
	return text + fmt.Sprintf("$%.2f so far, by your own prices", b.SoFar)
}

// ShipCost says what one ship costs at the captain's price, "" when he has set none.
func ShipCost(now time.Time, s *fleet.ShipView) string {
	return Costs(fleet.Bill{Hour: s.Price, SoFar: s.Price * s.AgeAt(now).Hours()})
}

// ShipAge says how old a ship is, "" when that is unknown.
func ShipAge(now time.Time, s *fleet.ShipView) string {
	if s.Created.IsZero() || now.IsZero() {
		return ""
	}
	return Age(s.AgeAt(now))
}

// RestTime says how long a ship has rested, as far as helm knows, "" when it works or helm does not know.
func RestTime(s *fleet.ShipView) string {
	rests := s.Status.Word == fleet.Idle || s.Status.Word == fleet.Done || s.Status.Word == fleet.Waiting
	if s.Idle <= 0 && !rests { // a resting ship may have begun after the last look
		return ""
	}
	return Age(s.Idle)
}

// AllRest says how long every ship has rested, "" when some ship has not, or there is none.
func AllRest(ships []fleet.ShipView) string {
	if len(ships) == 0 {
		return ""
	}
	least := ships[0].Idle
	for i := range ships {
		least = min(least, ships[i].Idle)
	}
	if least < time.Minute {
		return ""
	}
	return "idle for " + Age(least)
}
