package sailform

import (
	"testing"
	"time"
)

// The guards are said here as on the command line, and hold for the order.
func TestGuards(t *testing.T) {
	h := open(t, "OCAPTAIN_AGENT=script")
	h.keys("example:tiny")
	h.looked()
	h.shows("Max age     never; like 8h: older ships are sunk", "Sink when   ● never  ○ verified")
	h.at = atMaxAge
	h.keys("soon")
	h.looked()
	h.shows(`greatest age is "soon"; it must be a duration like 30m`)
	h.keys("backspace", "backspace", "backspace", "backspace", "8h", "tab", "right")
	h.looked()
	h.shows("Max age     8h", "○ never  ● verified")
	h.keys("ctrl+s")
	h.until("the form closes", func() bool { return h.closed })
	if g := h.order.Guards; g.MaxAge != 8*time.Hour || !g.SinkOld || !g.SinkVerified {
		t.Errorf("the order has %+v", g)
	}
}

// What the configuration says holds as long as the captain says nothing.
func TestGuardsOfTheConfiguration(t *testing.T) {
	h := open(t, "OCAPTAIN_AGENT=script", "OCAPTAIN_MAX_AGE=12h", "OCAPTAIN_SINK=verified")
	h.shows("you are told past 12h; like 8h: older ships are sunk", "○ never  ● verified")
	h.keys("example:tiny", "ctrl+s")
	h.until("the form closes", func() bool { return h.closed })
	if g := h.order.Guards; g.MaxAge != 12*time.Hour || g.SinkOld || !g.SinkVerified {
		t.Errorf("the order has %+v", g)
	}
}
