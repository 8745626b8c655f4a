package words

import (
	"math"
	"testing"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet"
)

func TestUsage(t *testing.T) {
	for usd, want := range map[float64]string{0: "", -1: "", 0.001: "<$0.01", 0.126: "$0.13", 12.3: "$12.30", 999.99: "$999.99", 1234: "$1.2k"} {
		if got := Dollars(usd); got != want {
			t.Errorf("%v is %q, want %q", usd, got, want)
		}
	}
	for n, want := range map[int64]string{-1: "0", 0: "0", 999: "999", 1000: "1.0k", 9_999: "9.9k", 10_000: "10k", 999_999: "999k", 1_234_567: "1.2M", 45e9: "45G", math.MaxInt64: "9223372T"} {
		if got := Amount(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	u := fleet.Usage{Messages: 57, Tokens: agentlog.Tokens{Input: 20_000, Output: 12_345, CacheRead: 310_000, CacheWrite: 10_000}, CostUSD: 1.2}
	if got, want := UsageLine(u), "$1.20 · 340k tokens in (310k from the cache), 12k out · 57 answers"; got != want {
		t.Errorf("used is %q, want %q", got, want)
	}
	if got, want := Tokens(u.Tokens), "340k in, 12k out"; got != want {
		t.Errorf("tokens are %q, want %q", got, want)
	}
	if got := UsageLine(fleet.Usage{}) + Tokens(agentlog.Tokens{}); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
