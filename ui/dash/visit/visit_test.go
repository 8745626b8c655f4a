package visit

import (
	"testing"

	"ocaptain/fleet/need"
)

func TestNextShip(t *testing.T) {
	needs := []need.Need{{Ships: []string{"a"}}, {Task: "7"}, {Ships: []string{"b", "a"}}, {Ships: []string{"c"}}}
	for from, want := range map[string]string{"a": "b", "b": "c", "c": "a", "d": "a"} {
		if is := NextShip(needs, from); is != want {
			t.Errorf("after %s comes %q", from, is)
		}
	}
	if is := NextShip(needs[:2], "a"); is != "" {
		t.Errorf("after the only one comes %q", is)
	}
}
