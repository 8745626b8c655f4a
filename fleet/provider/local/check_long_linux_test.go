//go:build long

package local_test

import (
	"testing"
)

// TestCheckReachesNoShip runs a stranger's program as a check of a ship whose directories are outside all directories that every check hides.
// Programs of the ship itself reach all that the check does not.
func TestCheckReachesNoShip(t *testing.T) { eachCaptain(t, checkReachesNoShip) }
