package cli

import (
	"slices"
	"testing"

	"ocaptain/ui/cli/config"
)

// Sweep asks all providers that ships come from, also those of a mixed voyage.
func TestChosenProviders(t *testing.T) {
	for text, want := range map[string][]string{
		"sprites": {"sprites"}, "sprites=3,hosts=2": {"sprites", "hosts"}, "sprites,hosts": nil, "nowhere": nil,
	} {
		c := config.Config{}
		c.Provider = text
		if got := chosenProviders(c); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}
