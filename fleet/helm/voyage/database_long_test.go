//go:build long

package voyage

import (
	"testing"

	"ocaptain/fleet/bdtest"
)

func TestBdDolt(t *testing.T) { hasBd(t, bdtest.Dolt) }
