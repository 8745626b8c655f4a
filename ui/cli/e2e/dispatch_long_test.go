//go:build long

package e2e

import "testing"

func TestFiftyDispatchesKilled(t *testing.T) {
	t.Parallel()
	killedDispatches(t, 10, 50)
}
