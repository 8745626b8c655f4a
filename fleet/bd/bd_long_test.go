//go:build long

package bd_test

import (
	"testing"

	"ocaptain/fleet/bdtest"
)

func TestImportDolt(t *testing.T) { imports(t, bdtest.Dolt) }
