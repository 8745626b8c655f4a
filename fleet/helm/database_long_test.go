//go:build long

package helm

import (
	"testing"

	"ocaptain/fleet/bdtest"
)

func TestBdDolt(t *testing.T) { hasBd(t, bdtest.Dolt) }
