package mix

import (
	"strings"
	"testing"
)

// TestParseMix reads mixes, and refuses senseless ones.
func TestParseMix(t *testing.T) {
	known := []string{"local", "hosts", "sprites"}
	for text, want := range map[string]struct {
		words string
		ships int
	}{
		"local":               {"local", 0},
		"sprites=3":           {"sprites", 3},
		"sprites=3,hosts=2":   {"sprites=3,hosts=2", 5},
		" hosts = 1 ,local=1": {"hosts=1,local=1", 2},
	} {
		m, err := Parse(text, known)
		if err != nil || m.AsText() != want.words || m.ShipCount() != want.ships {
			t.Errorf("%q: %q of %d, %v", text, m.AsText(), m.ShipCount(), err)
		}
	}
	for text, want := range map[string]string{
		"":                   `no provider ""`,
		"cloud":              `no provider "cloud"; there are: local, hosts, sprites`,
		"local=1,cloud=2":    `no provider "cloud"`,
		"local=,hosts=1":     `"" is no number of ships for local`,
		"local=0,hosts=1":    `"0" is no number`,
		"local=-1":           `"-1" is no number`,
		"local=9999":         "say 1 to 1000",
		"local=many":         `"many" is no number`,
		"local=1=2":          `"1=2" is no number`,
		"local=1,local=2":    "named twice",
		"local,hosts=2":      "how many ships come from local: ships come from more than one provider, like local=1,hosts=2",
		"sprites=3,hosts":    "how many ships come from hosts",
		"sprites=3,,hosts=2": `no provider ""`,
	} {
		if m, err := Parse(text, known); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
	if m := (Mix{{"local", 0}}).ForShips(4); m.String() != "local=4" {
		t.Errorf("four of one provider: %s", m)
	}
}
