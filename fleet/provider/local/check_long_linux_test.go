//go:build long

package local_test

import (
	"testing"
)

// TestCheckReachesNoShip runs a hostile program as a check on a ship whose directories are not below any directory that every check hides. The
// ship's own programs can reach everything that the check cannot.
func TestCheckReachesNoShip(t *testing.T) { eachCaptain(t, checkReachesNoShip) }
