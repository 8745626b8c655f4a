package sailform

import (
	"strings"
	"testing"
)

// Several providers are typed, from the word that holds or anew; arrows choose a word again.
func TestMixIsTyped(t *testing.T) {
	h := open(t, "OCAPTAIN_AGENT=script")
	h.at = atProvider
	h.looked()
	h.keys(strings.Split("=1,hosts=2", "")...)
	if h.provider.Chosen != "local=1,hosts=2" {
		t.Fatalf("typed %q", h.provider.Chosen)
	}
	h.looked()
	if s := h.screen(); !strings.Contains(s, "● local=1,hosts=2") {
		t.Errorf("the screen is\n%s", s)
	}
	h.keys("backspace", "x")
	h.looked()
	if s := h.screen(); !strings.Contains(s, `"x" is no number of ships for hosts`) {
		t.Errorf("the screen is\n%s", s)
	}
	h.keys("right")
	if h.provider.Chosen != "hosts" {
		t.Errorf("an arrow chooses %q", h.provider.Chosen)
	}
	h.keys("h", "o")
	if h.provider.Chosen != "ho" {
		t.Errorf("typed anew %q", h.provider.Chosen)
	}
}
