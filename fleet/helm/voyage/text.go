package voyage

import (
	"strings"

	"golang.org/x/time/rate"
)

// maxText bounds a text of a ship in a log.
const maxText = 8 << 10

// lastBytes returns the last n bytes of s, from the beginning of a line if there is one.
func lastBytes(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 {
		s = s[i+1:]
	}
	return "…\n" + strings.ToValidUTF8(s, "\uFFFD")
}

// newRation bounds how much a ship can make helm write down: so many at once, and then one a second.
func newRation() *rate.Limiter { return rate.NewLimiter(1, 100) }
