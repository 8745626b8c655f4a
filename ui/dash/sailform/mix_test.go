package sailform

import (
	"strings"
	"testing"
)

// A mix of providers is typed, beginning with the chosen word or with nothing; arrows choose a word again.
func TestMixIsTyped(t *testing.T) {
	h := open(t, "OCAPTAIN_AGENT=script")
	h.at = atProvider
	h.looked()
	h.Press(strings.Split("=1,hosts=2", "")...)
	if h.provider.Chosen != "local=1,hosts=2" {
		t.Fatalf("typed %q", h.provider.Chosen)
	}
	h.looked()
	if s := h.Screen(); !strings.Contains(s, "● local=1,hosts=2") {
		t.Errorf("the screen is\n%s", s)
	}
	h.Press("backspace", "x")
	h.looked()
	if s := h.Screen(); !strings.Contains(s, `"x" is no number of ships for hosts`) {
		t.Errorf("the screen is\n%s", s)
	}
	h.Press("right")
	if h.provider.Chosen != "hosts" {
		t.Errorf("an arrow chooses %q", h.provider.Chosen)
	}
	h.Press("h", "o")
	if h.provider.Chosen != "ho" {
		t.Errorf("typed anew %q", h.provider.Chosen)
	}
}
