package live

import "testing"

func TestTitled(t *testing.T) {
	for title, want := range map[string]size{
		"ocaptain 120x40":           {120, 40},
		"ocaptain 60000x60000":      biggest,
		"ocaptain 0x40":             {},
		"ocaptain -1x40":            {},
		"ocaptain 99999999999x1":    {},
		"ocaptain 120":              {},
		"120x40":                    {},
		"":                          {},
		"ocaptain 120x40; rm -rf /": {},
	} {
		if got, ok := titled(title); got != want || ok != (want != size{}) {
			t.Errorf("%q is %v, %v", title, got, ok)
		}
	}
}
