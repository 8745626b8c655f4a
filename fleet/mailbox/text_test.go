package mailbox

import "testing"

func TestLegible(t *testing.T) {
	for text, want := range map[string]bool{"": false, " \n\t": false, "\x1b\x03": false, "\u200b": false, "\u00a0": false, "x": true, " ✌ ": true, "\x1b[m": true} {
		if Legible(text) != want {
			t.Errorf("%q is legible: %t", text, !want)
		}
	}
}
