package sailform

import (
	"testing"
	"time"
)

// The form's guards have the names of the command line's, and apply to the order.
func TestGuards(t *testing.T) {
	h := open(t, "OCAPTAIN_AGENT=script")
	h.Press("example:tiny")
	h.looked()
	h.Shows("Max age     never; like 8h: older ships are sunk", "Sink when   ● never  ○ verified")
	h.at = atMaxAge
	h.Press("soon")
	h.looked()
	h.Shows(`greatest age is "soon"; it must be a duration like 30m`)
	h.Press("backspace", "backspace", "backspace", "backspace", "8h", "tab", "much")
	h.looked()
	h.Shows(`greatest cost is "much"; it must be a sum in US dollars`)
	h.Press("backspace", "backspace", "backspace", "backspace", "20", "tab", "right")
	h.looked()
	h.Shows("Max age     8h", "Max cost    20", "○ never  ● verified")
	h.Press("ctrl+s")
	h.Until("the form closes", func() bool { return h.Closed })
	if g := h.order.Guards; g.MaxAge != 8*time.Hour || !g.SinkOld || !g.SinkVerified || g.MaxCost != 20 {
		t.Errorf("the order has %+v", g)
	}
}

// The configuration's guards apply as long as the captain sets none.
func TestGuardsOfTheConfiguration(t *testing.T) {
	h := open(t, "OCAPTAIN_AGENT=script", "OCAPTAIN_MAX_AGE=12h", "OCAPTAIN_SINK=verified")
	h.Shows("you are told past 12h; like 8h: older ships are sunk", "○ never  ● verified")
	h.Press("example:tiny", "ctrl+s")
	h.Until("the form closes", func() bool { return h.Closed })
	if g := h.order.Guards; g.MaxAge != 12*time.Hour || g.SinkOld || !g.SinkVerified {
		t.Errorf("the order has %+v", g)
	}
}
