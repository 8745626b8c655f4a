package helm

import (
	"fmt"
	"strings"
	"time"
)

// maxText bounds a text of a ship in a log.
const maxText = 8 << 10

// cleanText makes text of a ship fit to be kept: valid, and at most about so many bytes. Who shows it takes out
// what a terminal would act on.
func cleanText(s string, most int) string {
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

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

// ration bounds how much a ship can make helm write down: so many at once, and then
// one a second. The zero value is a full one.
type ration struct {
	used float64
	at   time.Time
}

// rationSize is how many a full ration has.
const rationSize = 100

// takeOne reports whether there is one left, and takes it.
func (r *ration) takeOne(now time.Time) bool {
	r.used = max(0, r.used-max(0, now.Sub(r.at).Seconds())) // clocks are set back, too
	r.at = now
	if r.used+1 > rationSize {
		return false
	}
	r.used++
	return true
}

// command is what the captain types for something on this voyage. It works as it stands, whatever other voyages there are.
func (v *voyage) command(format string, args ...any) string {
	return fmt.Sprintf("ocaptain "+format, args...) + " --voyage " + v.dir.ID()
}
