package words

import (
	"fmt"
	"strings"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
)

// Dollars writes US dollars, "" for no reported cost.
func Dollars(usd float64) string {
	switch {
	case usd <= 0:
		return ""
	case usd < 0.01:
		return "<$0.01"
	case usd < 1000:
		return fmt.Sprintf("$%.2f", usd)
	}
	return "$" + Amount(int64(usd))
}

// Amount writes a large number in two or three digits and a unit.
func Amount(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		switch {
		case n >= 10*u.size:
			return fmt.Sprintf("%d%s", n/u.size, u.name)
		case n >= u.size:
			return fmt.Sprintf("%d.%d%s", n/u.size, n%u.size*10/u.size, u.name)
		}
	}
	return fmt.Sprint(max(0, n))
}

// Tokens says how many tokens went in, cached or not, and came out, "" for none.
func Tokens(t agentlog.Tokens) string {
	if t.Sum() <= 0 {
		return ""
	}
	return fmt.Sprintf("%s in, %s out", Amount(t.Sum()-t.Output), Amount(t.Output))
}

// UsageLine writes usage in a line, "" when none is known: "$1.20 · 340k tokens in (310k from the
// cache), 12k out · 57 answers".
func UsageLine(u fleet.Usage) string {
	var parts []string
	if usd := Dollars(u.CostUSD); usd != "" {
		parts = append(parts, usd)
	}
	if u.Sum() > 0 {
		text := Amount(u.Sum()-u.Output) + " tokens in"
		if u.CacheRead > 0 {
			text += " (" + Amount(u.CacheRead) + " from the cache)"
		}
		parts = append(parts, text+", "+Amount(u.Output)+" out")
	}
	if u.Messages > 0 {
		parts = append(parts, Counted(int(u.Messages), "answer"))
	}
	return strings.Join(parts, " · ")
}

// Conversation says how long the conversation of a ship's agent is, "" when that is unknown.
func Conversation(c proto.Conversation) string {
	if c.Tokens <= 0 {
		return ""
	}
	if p := c.Percent(); p > 0 {
		return fmt.Sprintf("%s tokens, %d %% of %s", Amount(c.Tokens), p, Amount(c.Window))
	}
	return Amount(c.Tokens) + " tokens"
}

// Turns writes the turn of a ship's agent, as 12, or 12/50 when turns are limited to 50.
func Turns(s *fleet.ShipView) string {
	if s.MaxTurns > 0 {
		return fmt.Sprintf("%d/%d", s.Turn, s.MaxTurns)
	}
	return fmt.Sprint(s.Turn)
}
