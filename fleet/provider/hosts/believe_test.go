package hosts

import (
	"testing"

	"ocaptain/fleet/provider"
)

// A host's report counts only for what was asked, and for ships that are not known to be elsewhere.
func TestBelievable(t *testing.T) {
	quay, err := Parse("ada@quay")
	if err != nil {
		t.Fatal(err)
	}
	records := []record{{Name: "ship-0", Host: "ada@quay"}, {Name: "ship-1", Host: "ada@mole"}}
	labels := map[string]string{"voyage": "v1"}
	for _, c := range []struct {
		name   string
		voyage string
		want   bool
	}{
		{"ship-0", "v1", true},
		{"ship-0", "v2", false},
		{"ship-1", "v1", false},
		{"unknown", "v1", true}, // its record was lost, or belongs to another machine
		{"unknown", "", false},
	} {
		m := provider.Machine{Name: c.name, Labels: map[string]string{"voyage": c.voyage}}
		if got := believable(m, quay, labels, records); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
