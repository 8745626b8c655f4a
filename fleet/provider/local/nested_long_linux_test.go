//go:build long

package local_test

import (
	"testing"

	"ocaptain/fleet/provider/local"
)

// TestNoUserNamespaces tries in a ship to get a user namespace in every way that a program can, while the hub runs a command there
// that may make one. Neither that command nor the ship's server helps.
func TestNoUserNamespaces(t *testing.T) {
	eachCaptain(t, func(t *testing.T) {
		for _, env := range []map[string]string{nil, {olderLandlock: "yes"}} {
			o := options(t, local.Always)
			o.Env = env
			attackSpacesFromShip(t, newShip(t, o))
		}
	})
}
