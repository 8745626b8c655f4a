//go:build long

package local_test

import (
	"testing"
)

// TestCheckReachesNoShip runs what a stranger wrote as a check of a ship whose directories lie below none that every check covers. What runs on the
// ship itself reaches all that the check does not.
func TestCheckReachesNoShip(t *testing.T) { eachCaptain(t, checkReachesNoShip) }
